/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* usage: bench_walk deep | chain DIRECTORY */
#include "bench_walk.h"
#include "subjects/subjects.h"

#include <stdio.h>
#include <string.h>

struct job {
	const char *name;
	int rc;
};

NOINLINE static void leaf(void *arg)
{
	struct job *job = arg;

	job->rc = bench_walk_here(job->name);
}

int main(int argc, char **argv)
{
	struct job job = { argc > 1 ? argv[1] : "", 2 };

	if (argc == 2 && !strcmp(job.name, "deep")) /* with our own and libc's: 67 */
		stack_deep(57, leaf, &job);
	else if (argc == 3 && !strcmp(job.name, "chain"))
		stack_chain(argv[2], leaf, &job);
	else
		fprintf(stderr, "usage: bench_walk deep | chain DIRECTORY\n");
	return job.rc;
}
