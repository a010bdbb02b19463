/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.c -- rules applied to a node: the first one of the planner's list that makes another node of it
 *
 * Which rules there are is no matter here: the list comes with the planner (rules.c).
 */
#include "rules.h"

int gx_rule_is_on(const gx_planner *p, gx_rule_id rule) { return !gx_rule_in(&p->env->b->rules_off, rule); }

void gx_rule_fired(gx_planner *p, u32 rule) { gx_rule_put(&p->fired, rule, 1); }

static u32 class_of(const gx_plan *n)
{
    switch (n->op) {
    case GX_X_STEP: return GX_ON_STEP;
    case GX_X_FILTER: return GX_ON_FILTER;
    case GX_X_FUNC: return GX_ON_CALL;
    case GX_X_JOIN: return GX_ON_JOIN;
    case GX_X_UNION: return GX_ON_UNION;
    case GX_X_CHOICE: return GX_ON_CHOICE;
    case GX_X_VAR: return GX_ON_VARIABLE;
    default: return 0;
    }
}

gx_plan *gx_rules_rewrite(gx_planner *p, gx_plan *n, u32 on)
{
    const gx_rule_set *off = &p->env->b->rules_off;
    u32 i = 0;
    for (const gx_rules *const *f = p->rules; *f; f++)
        for (const gx_rule_def *rule = (*f)->at, *end = rule + (*f)->n; rule < end; rule++, i++)
            if (rule->on & on && rule->stage == GX_RULE_REWRITE && !gx_rule_in(off, i)) {
                gx_plan *other = rule->apply(p, n, 0);
                if (other) {
                    gx_rule_fired(p, i);
                    return other;
                }
            }
    return n;
}

/* n as the first rule of stage DEMAND that applies makes it, or n */
static gx_plan *demanded(gx_planner *p, gx_plan *n, u32 demand)
{
    const gx_rule_set *off = &p->env->b->rules_off;
    const u32 on = class_of(n);
    u32 i = 0;
    for (const gx_rules *const *f = p->rules; *f; f++)
        for (const gx_rule_def *rule = (*f)->at, *end = rule + (*f)->n; rule < end; rule++, i++)
            if (rule->stage == GX_RULE_DEMAND && rule->on & on && rule->demand & demand && !gx_rule_in(off, i)) {
                gx_plan *other = rule->apply(p, n, demand);
                if (other) {
                    gx_rule_fired(p, i);
                    return other;
                }
            }
    return n;
}

gx_plan *gx_rules_demand(gx_planner *p, gx_plan *n, u32 demand)
{
    while (n->type == GX_T_SET) {
        gx_plan *other = demanded(p, n, demand);        /* what it becomes may be another rule's */
        if (other == n)
            break;
        n = other;
    }
    return n;
}
