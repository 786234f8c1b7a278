/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk_ptrace TID: stop a thread, walk it with the core, print one address a
 * frame and the stop. The second world of the tests.
 */
#include <stdio.h>
#include <stdlib.h>

#include "uc_process.h"
#include "walk_print.h"

int main(int argc, char **argv)
{
	static struct uc_walk walk;
	static u64 frame[UC_FRAMES_MAX];
	struct uc_process *process;
	u32 nr;
	pid_t tid;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: walk_ptrace TID\n");
		return 2;
	}
	tid = atoi(argv[1]);
	rc = uc_thread_attach(tid);
	if (!rc)
		rc = uc_process_new(tid, &process);
	if (!rc)
		rc = uc_thread_regs(tid, &walk);
	if (rc) {
		fprintf(stderr, "walk_ptrace: thread %d: %s\n", tid, strerror(-rc));
		return 1;
	}
	walk.port.mem = uc_process_memory(process);
	walk.entry_sp = uc_process_entry_sp(process);
	rc = uc_walk_run(&walk, frame, UC_FRAMES_DEFAULT, &nr);
	walk_print(&walk, frame, nr, rc);
	uc_process_free(process);
	uc_thread_detach(tid);
	return 0;
}
