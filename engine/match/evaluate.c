/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate.c -- evaluate.h for any CPU */
#include "set.h"
#define ONES gxp_ones
#define EVALUATION gxp_evaluation_plain
#include "evaluate.h"
