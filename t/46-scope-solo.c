/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 46-scope-solo.c -- the rows that an expression begins with are no part of others
 *
 * Which way a CHOICE goes must follow from the scope alone: members that decide by what their stacks held go different
 * ways, and a team whose members do waits for ever.
 */
#define GX_TEAM_SOLO
#undef GX_CHOICE_ROWS                    /* as it is: what is sanitized has 0 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include "engine/machine/bind.h"
#include "engine/machine/run.h"

static void begins_whole(void **state)
{
    static const u32 nodes[] = { 0, 1 }, ids[2000], from[] = { 0, 1000, 2000 };
    gx_env env;
    gx_m m;
    gx_v many = gx_v_make(GX_T_SET, 2, (void *)ids);

    (void)state;
    memset(&m, 0, sizeof m);
    many.off = from;
    for (int held = 0; held < 256; held++) {
        memset(&env, held, sizeof env);
        gx_env_nodes(&env, nodes, 2);
        assert_true(gx_choice_is_cheap(&m, &env.scope, &many, GX_CHOICE_FOUND));
        assert_true(gx_choice_is_cheap(&m, &env.scope, &many, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(begins_whole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
