/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_trial.h"

#include <errno.h>
#include <stdlib.h>

#include "uc_core.h"
#include "uc_walk.h"

/* Registers are far from the file and from each other; what memory holds lies
 * above them, as callers' frames do: (half) words of these bits and others. */
#define FAR_64 0x7e0000000000ull
#define GAP_64 0x100000000ull
#define ABOVE_64 0x7f0000000000ull
#define FAR_32 0x80000000u
#define GAP_32 0x1000000u
#define ABOVE_32 0xc0000000c0000000ull

static u64 trial_word(const struct uc_trial *t, u64 at)
{
	u64 mixed = at * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio */

	mixed ^= mixed >> 29;
	if (t->walk->abi.word == 4)
		return mixed | ABOVE_32;
	return (mixed & 0xfffffffff8ull) | ABOVE_64;
}

/* The file's bytes where it has some; elsewhere each word is its address's own. */
static int trial_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct uc_trial *t = arg;
	const struct uc_memory *file = uc_image_memory(t->img);
	u64 word = 0;
	u8 *to = dst;
	u32 i;

	if (!file->read(file->arg, addr, dst, len))
		return 0;
	for (i = 0; i < len; i++) {
		u32 at = (addr + i) & 7;

		if (!i || !at)
			word = trial_word(t, (addr + i) / 8);
		if (t->walk->abi.big_endian)
			at = 7 - at;
		to[i] = (u8)(word >> (8 * at));
	}
	return 0;
}

int uc_trial_begin(struct uc_trial *t, const struct uc_image *img)
{
	t->img = img;
	t->memory = (struct uc_memory){ .read = trial_read, .arg = t }; /* rows need no more */
	t->walk = malloc(sizeof(*t->walk));
	if (!t->walk)
		return -ENOMEM;
	uc_image_walk(img, t->walk);
	t->walk->port.mem = &t->memory;
	t->walk->stack_len = 0; /* what is read once holds for all trials */
	t->walk->nr_bad = 0;
	return 0;
}

void uc_trial_end(struct uc_trial *t)
{
	free(t->walk);
}

struct uc_outcome uc_trial_apply(struct uc_trial *t, u64 pc, u32 known)
{
	struct uc_walk *w = t->walk;
	bool is_32 = w->abi.addr_size == 4;
	struct uc_outcome out = { 0 };
	u32 i;

	for (i = 0; i < UC_REG_SLOTS; i++)
		w->regs.r[i] = is_32 ? FAR_32 + i * GAP_32 : FAR_64 + i * GAP_64;
	w->regs.pc = pc;
	w->regs.known = known;
	w->exact = 1;
	w->switches = 0;
	w->bare = 0;
	out.rc = uc_row_apply(w);
	if (out.rc)
		return out;
	out.pc = w->next.pc;
	out.sp = w->next.r[w->abi.sp];
	out.has_fp = w->next.known >> w->abi.fp & 1;
	out.fp = out.has_fp ? w->next.r[w->abi.fp] : 0;
	return out;
}
