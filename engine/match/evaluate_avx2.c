/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate_avx2.c -- evaluate.h for CPUs with AVX2: four words of a row at once, and an instruction that counts bits */
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif
#define EVALUATION gxp_evaluation_avx2
#define ONES(x) ((u32)__builtin_popcountll(x))
#include "evaluate.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
