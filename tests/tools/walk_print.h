/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A walk as the tests read it: an address a frame, and the stop. */
#ifndef WALK_PRINT_H
#define WALK_PRINT_H

#include <inttypes.h>
#include <stdio.h>

#include "uc_types.h"

static inline void walk_print(const struct uc_walk *w, const u64 *frame, u32 nr, int stop)
{
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

	for (u32 i = 0; i < nr; i++)
		printf("0x%" PRIx64 "\n", frame[i]);
	printf("stop: %s", stop_word[stop]);
	if (w->flaw & UNCOIL_FLAW_OF_REGISTER)
		printf(" DWARF register %u", w->flaw & 0xff);
	else if (w->flaw)
		printf(" %s", flaw_sentence[w->flaw]);
	if (w->stop_addr)
		printf(" 0x%" PRIx64, w->stop_addr);
	putchar('\n');
}

#endif
