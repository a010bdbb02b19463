/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slot.c -- slots, whoever moves them on: the words that wake, the bits by which the worker finds them, giving one back
 */
#include "memory.h"

u32 *gx_slot_futex(gx_q_slot *s) { return gx_word_futex(&s->word); }

void gx_queue_ring(gx_queue *q)
{
    gx_add(&q->header->doorbell, 1);
    if (gx_load(&q->header->sleepers))
        gx_futex_wake(&q->header->doorbell, 1);
}

void gx_slot_wake(gx_q_slot *s)
{
    if (gx_load(&s->waiting))
        gx_futex_wake(gx_slot_futex(s), 1);
}

void gx_slot_pending(gx_queue *q, u32 index)
{
    __atomic_fetch_or(&q->pending[index / 64], 1ull << index % 64, __ATOMIC_SEQ_CST);
}

static void announce_free(gx_queue *q)
{
    gx_add(&q->header->freed, 1);
    if (gx_load(&q->header->free_waiters))
        gx_futex_wake(&q->header->freed, 1);
}

int gx_slot_free(gx_queue *q, u32 index, u64 word)
{
    gx_q_slot *s = &q->slots[index];
    u64 owner = GX_OWNER_SLOT(index, GX_Q_SEQ(word));
    gx_q_run doc = s->request.doc, params = s->request.params, result = s->reply.result;
    gx_run_free(q, doc, owner);
    gx_run_free(q, params, owner);
    gx_run_free(q, result, owner);
    if (!gx_swap(&s->word, word, GX_Q_WORD(GX_Q_SEQ(word), GX_Q_FREE)))
        return 0;
    announce_free(q);
    return 1;
}
