/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h -- gpuxslt --compare: how fast is mine, and does the GPU pay?
 */
#ifndef COMPARE_H
#define COMPARE_H

/* Runs this program with the arguments that follow --compare (n of them: options, a stylesheet, a document) in each way
 * that this machine offers, and xsltproc where it is, in turns; prints a table and what to do. Returns an exit status.
 * */
int compare_run(char **args, int n, const char *sheet, const char *document);

#endif
