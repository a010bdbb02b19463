/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unseen.c -- for LD_PRELOAD: what ThreadSanitizer does not see of httpd, by calls that it sees (make test-sanitized)
 *
 * APR's atomics: the event MPM hands a connection's pool from the thread that served it to the next one's by
 * apr_atomic_casptr. As APR is not built for ThreadSanitizer, it would take all that lies in pools for memory that two
 * threads write at once. pthread_mutex_clocklock: gcc 12's libtsan does not know it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <apr_atomic.h>

#define ATOMICS(bits, u) \
u apr_atomic_read##bits(volatile u *at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); } \
void apr_atomic_set##bits(volatile u *at, u to) { __atomic_store_n(at, to, __ATOMIC_SEQ_CST); } \
u apr_atomic_add##bits(volatile u *at, u n) { return __atomic_fetch_add(at, n, __ATOMIC_SEQ_CST); } \
void apr_atomic_sub##bits(volatile u *at, u n) { __atomic_fetch_sub(at, n, __ATOMIC_SEQ_CST); } \
u apr_atomic_inc##bits(volatile u *at) { return __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST); } \
int apr_atomic_dec##bits(volatile u *at) { return __atomic_sub_fetch(at, 1, __ATOMIC_SEQ_CST) != 0; } \
u apr_atomic_xchg##bits(volatile u *at, u to) { return __atomic_exchange_n(at, to, __ATOMIC_SEQ_CST); } \
u apr_atomic_cas##bits(volatile u *at, u to, u from) \
{ \
    __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return from; \
}
ATOMICS(32, apr_uint32_t)
ATOMICS(64, apr_uint64_t)

void *apr_atomic_xchgptr(volatile void **at, void *to)
{
    return (void *)__atomic_exchange_n(at, to, __ATOMIC_SEQ_CST);
}

void *apr_atomic_casptr(volatile void **at, void *to, const void *from)
{
    volatile void *was = (volatile void *)from;
    __atomic_compare_exchange_n(at, &was, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return (void *)was;
}

int pthread_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock, const struct timespec *until)
{
    struct timespec now, real;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &real);
    real.tv_sec += until->tv_sec - now.tv_sec;
    real.tv_nsec += until->tv_nsec - now.tv_nsec;
    if (real.tv_nsec < 0 || real.tv_nsec > 999999999) {
        const int carry = real.tv_nsec < 0 ? -1 : 1;
        real.tv_sec += carry;
        real.tv_nsec -= carry * 1000000000;
    }
    return pthread_mutex_timedlock(lock, &real);
}
