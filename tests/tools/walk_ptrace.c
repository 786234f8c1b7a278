/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk_ptrace TID: stop a thread, walk it with the core, print one address a
 * frame and the stop. The second world of the tests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "uc_process.h"

static const char *const stop_word[] = {
#define WORD_(name, number, word, sentence) [number] = word,
	UNCOIL_STOPS(WORD_)
#undef WORD_
};
static const char *const flaw_sentence[] = {
#define FLAW_(name, number, sentence) [number] = sentence,
	UNCOIL_FLAWS(FLAW_)
#undef FLAW_
};

int main(int argc, char **argv)
{
	static struct uc_walk walk;
	static u64 frame[UC_FRAMES_MAX];
	struct uc_process *process;
	u32 nr, i;
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
	for (i = 0; i < nr; i++)
		printf("0x%" PRIx64 "\n", frame[i]);
	printf("stop: %s", stop_word[rc]);
	if (walk.flaw & UNCOIL_FLAW_OF_REGISTER)
		printf(" DWARF register %u", walk.flaw & 0xff);
	else if (walk.flaw)
		printf(" %s", flaw_sentence[walk.flaw]);
	if (walk.stop_addr)
		printf(" 0x%" PRIx64, walk.stop_addr);
	putchar('\n');
	uc_process_free(process);
	uc_thread_detach(tid);
	return 0;
}
