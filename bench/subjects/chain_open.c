/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "subjects.h"

#include <dlfcn.h>
#include <stdio.h>

int stack_chain(const char *dir, leaf_fn *leaf, void *arg)
{
	struct chain c = { .leaf = leaf, .arg = arg };
	char path[4096];
	void *library;
	int i;

	for (i = 0; i < CHAIN_LIBRARIES; i++) {
		snprintf(path, sizeof(path), "%s/libchain%d.so", dir, i);
		library = dlopen(path, RTLD_NOW);
		if (library)
			*(void **)&c.enter[i] = dlsym(library, "chain_enter");
		if (!library || !c.enter[i]) {
			fprintf(stderr, "%s\n", dlerror());
			return -1;
		}
	}
	c.enter[0](&c, 0);
	return 0;
}
