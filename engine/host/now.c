/* SPDX-License-Identifier: Apache-2.0 */
/*
 * now.c -- the current time: the one part of EXSLT's dates and times that a team cannot know
 *
 * The clock is read once an evaluation, so that all calls agree (XSLT has no notion of time passing). The value has the
 * offset of the process's time zone (TZ) and whole seconds. A program that asks for it is not sent to a GPU
 * (GX_P_HOST); all that is done with dates given as strings is (machine/date.h).
 */
#include <time.h>
#include "host.h"
#include "machine/date.h"

/* date:date-time() for n rows: the same string for all of them, and for all later calls of the evaluation (h->now). */
gx_status gx_host_now(host *h, u32 n, gx_str *out)
{
    if (!h->now.len) {
        char text[40];
        const time_t now = time(NULL);
        struct tm local;
        gx_date d;
        gx_date_clear(&d);
        d.parts = GX_DATE_FULL | GX_DATE_TIME;
        d.has_zone = 1;
        if (localtime_r(&now, &local))
            d.zone = (i32)(local.tm_gmtoff / 60);
        const i64 seconds = (i64)now + d.zone * 60, days = gx_floor_div(seconds, 86400), rest = seconds - 86400 * days;
        gx_date_set_days(&d, gx_year_start(1970) + days);
        d.hour = (u32)(rest / 3600);
        d.minute = (u32)(rest / 60 % 60);
        d.second = (u32)(rest % 60);
        GX_TRY(gx_host_string(h, text, gx_date_write(&d, d.parts, text, sizeof text), &h->now));
    }
    for (u32 i = 0; i < n; i++)
        out[i] = h->now;
    return GX_OK;
}
