/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * walk_core CORE [SYSROOT]: walk each thread of a core file and print, after
 * "thread TID", one address a frame and the stop.
 */
#include <stdio.h>

#include "uc_corefile.h"
#include "uc_process.h"
#include "walk_print.h"

int main(int argc, char **argv)
{
	static struct uc_walk walk;
	static u64 frame[UC_FRAMES_MAX];
	struct uc_corefile *core;
	char err[256];
	size_t i;
	u32 nr;
	int rc;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: walk_core CORE [SYSROOT]\n");
		return 2;
	}
	if (uc_corefile_open(argv[1], argv[2], &core, err, sizeof(err))) {
		fprintf(stderr, "walk_core: %s: %s\n", argv[1], err);
		return 1;
	}
	for (i = 0; i < uc_corefile_nr_threads(core); i++) {
		rc = uc_corefile_regs(core, i, &walk);
		if (rc) {
			fprintf(stderr, "walk_core: thread %zu: %s\n", i, strerror(-rc));
			return 1;
		}
		walk.port.mem = uc_corefile_memory(core);
		walk.entry_sp = uc_corefile_entry_sp(core);
		printf("thread %d\n", uc_corefile_tid(core, i));
		rc = uc_walk_run(&walk, frame, UC_FRAMES_MAX, &nr);
		walk_print(&walk, frame, nr, rc);
	}
	for (i = 0; i < uc_corefile_nr_files(core); i++) {
		enum uc_corefile_status status;
		const char *name = uc_corefile_file(core, i, &status);

		if (status == UC_COREFILE_OTHER || status == UC_COREFILE_MISSING)
			printf("file: %s %s\n", name, status == UC_COREFILE_OTHER ? "is another" : "is missing");
	}
	uc_corefile_close(core);
	return 0;
}
