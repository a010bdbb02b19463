/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deadline.c -- is an evaluation's time over?
 */
#include "clock.h"
#include "gx.h"

u64 gx_evaluation_now(const gx_evaluation *ev)
{
    return ev->is_over && ev->is_over(ev->is_over_ctx) ? ~0ull : gx_now_us();
}
int gx_evaluation_is_late(const gx_evaluation *ev)
{
    return ev->deadline_us && gx_evaluation_now(ev) > ev->deadline_us;
}
