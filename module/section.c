/* SPDX-License-Identifier: Apache-2.0 */
/*
 * section.c -- <If> sections: pages that depend on what chooses among the directives that make them
 *
 *     <If "%{REMOTE_USER} == 'bob'">
 *         GPUXMLParam role editor
 *     </If>
 *
 * Bob's page differs from Alice's, whether the condition is true for her or not, so a cache must tell the two apart
 * as if the condition stood in GPUXMLParam itself. httpd evaluates conditions before the handler runs and keeps no
 * note of what they read. (It adds headers to Vary, but the answer of a back end takes the place of that.) So each
 * condition is read from the tree of the configuration once, when that is complete, and for each request we look at
 * the sections that were tried for it.
 *
 * <If>, <ElseIf> and <Else> that follow each other are one chain: where one of them, or an <If> within, has a
 * directive of ours, the page depends on all conditions of the chain. A condition in an .htaccess file stands in no
 * tree: it counts as something that no cache sees.
 */
#include <apr_hash.h>
#include <http_core.h>
#include <util_cfgtree.h>
#include "depend.h"
#include "section.h"

typedef struct chain {
    gxm_reads reads;
    int has_ours;
} chain;

static apr_hash_t *chains;      /* where a condition stands -> its chain; of pconf, read only once it is complete */

void gxm_sections_reset(void) { chains = NULL; }

static const char *place_of(apr_pool_t *p, const char *file, unsigned line)
{
    return apr_psprintf(p, "%u %s", line, file);
}

static int is_named(const ap_directive_t *d, const char *name) { return strcasecmp(d->directive, name) == 0; }

/* The condition of <If "..."> */
static void read_condition(apr_pool_t *pconf, apr_pool_t *ptemp, const ap_directive_t *d, chain *c)
{
    const char *end = d->args ? strrchr(d->args, '>') : NULL,
               *text = end ? apr_pstrmemdup(ptemp, d->args, end - d->args) : "";
    if (*text == '"' || *text == '\'')
        text = ap_getword_conf(ptemp, &text);
    if (gxm_reads_of(pconf, ptemp, text, &c->reads) && !c->reads.hidden)
        c->reads.hidden = "a condition of <If> that is not understood";
    if (c->reads.has_computed && !c->reads.hidden)
        c->reads.hidden = "a header whose name an <If> computes";
}

/* All that stands in a section */
static void read_content(apr_pool_t *pconf, apr_pool_t *ptemp, const ap_directive_t *d, chain *c)
{
    for (; d; d = d->next) {
        c->has_ours |= strncasecmp(d->directive, "GPUXML", 6) == 0;
        if (is_named(d, "<If") || is_named(d, "<ElseIf"))
            read_condition(pconf, ptemp, d, c);
        read_content(pconf, ptemp, d->first_child, c);
    }
}

static void find(apr_pool_t *pconf, apr_pool_t *ptemp, const ap_directive_t *d)
{
    chain *c = NULL;
    for (; d; d = d->next) {
        const int has_condition = is_named(d, "<If") || is_named(d, "<ElseIf");
        if (is_named(d, "<If") || (!c && has_condition))
            c = apr_pcalloc(pconf, sizeof *c);
        else if (!has_condition && !is_named(d, "<Else"))
            c = NULL;
        if (has_condition) {
            read_condition(pconf, ptemp, d, c);
            apr_hash_set(chains, place_of(pconf, d->filename, d->line_num), APR_HASH_KEY_STRING, c);
        }
        if (c)
            read_content(pconf, ptemp, d->first_child, c);
        find(pconf, ptemp, d->first_child);
    }
}

void gxm_sections_find(apr_pool_t *pconf, apr_pool_t *ptemp)
{
    chains = apr_hash_make(pconf);
    find(pconf, ptemp, ap_conftree);
    for (apr_hash_index_t *i = apr_hash_first(ptemp, chains); i; i = apr_hash_next(i)) {
        const chain *c = apr_hash_this_val(i);
        for (int k = 0; c->has_ours && c->reads.env && k < c->reads.env->nelts; k++)
            gxm_origin_want(pconf, APR_ARRAY_IDX(c->reads.env, k, const char *));
    }
}

/* The chain of a section that was tried; NULL: it stands in an .htaccess file. */
static const chain *chain_of(request_rec *r, const core_dir_config *section)
{
    const ap_expr_info_t *condition = section->condition;
    return condition && chains ? apr_hash_get(chains, place_of(r->pool, condition->filename, condition->line_number),
                                              APR_HASH_KEY_STRING)
                               : NULL;
}

static void depend(request_rec *r, const gxm_reads *reads)
{
    for (int i = 0; reads->headers && i < reads->headers->nelts; i++)
        gxm_vary_by(r, APR_ARRAY_IDX(reads->headers, i, const char *));
    gxm_depend(r, reads, NULL);
}

/* What the page depends on is told if `tells`; whether it does depend on something is returned. */
static int look(request_rec *r, int tells)
{
    static const gxm_reads in_htaccess = { .hidden = "an <If> of .htaccess" };
    const core_dir_config *core = ap_get_module_config(r->per_dir_config, &core_module);
    const chain *last = NULL;
    int depends = 0;
    for (int i = 0; core->sec_if && i < core->sec_if->nelts; i++) {
        ap_conf_vector_t *section = APR_ARRAY_IDX(core->sec_if, i, ap_conf_vector_t *);
        const core_dir_config *own = ap_get_module_config(section, &core_module);
        const chain *c = own->condition ? chain_of(r, own) : last;
        const int has_ours = c ? c->has_ours : ap_get_module_config(section, &gpuxml_module) != NULL || own->sec_if;
        if (has_ours && tells && (!c || c != last))
            depend(r, c ? &c->reads : &in_htaccess);
        depends |= has_ours;
        last = c;
    }
    return depends;
}

int gxm_sections_matter(request_rec *r) { return look(r, 0); }
void gxm_sections_depend(request_rec *r) { look(r, 1); }
