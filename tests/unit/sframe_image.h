/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An .sframe section in memory, all reads of which must lie inside it, and
 * its rows as text: the notation of tests/sframe/README.md.
 */
#ifndef SFRAME_IMAGE_H
#define SFRAME_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "uc_core.h"
#include "uc_sframe.h"
#include "uc_walk.h"

struct sframe_image {
	struct uc_memory memory;
	u64 start; /* run-time address of bytes[0] */
	const u8 *bytes;
	u32 len;
	u32 fails; /* the reads before it succeed; 0: all do */
};

static inline int sfi_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct sframe_image *m = arg;

	if (m->fails && !--m->fails)
		return -1;
	assert_true(addr >= m->start && len <= m->len && addr - m->start <= m->len - len);
	memcpy(dst, m->bytes + (addr - m->start), len);
	return 0;
}

/* A module with this section and no executable segment yet; the rest of the
 * walk is what another one has left there. */
static inline void sfi_begin(struct sframe_image *m, struct uc_walk *w, u32 abi, u64 start,
			     const u8 *bytes, u32 len)
{
	*m = (struct sframe_image){ .memory = { .read = sfi_read, .arg = m },
				    .start = start,
				    .bytes = bytes,
				    .len = len };
	memset(w, 0xa5, sizeof(*w));
	memset(&w->map, 0, sizeof(w->map));
	memset(&w->mod, 0, sizeof(w->mod));
	uc_abi_set(w, abi);
	w->port.mem = &m->memory;
	w->nr_bad = 0;
	w->impure = 0;
	w->mod.sframe = start;
	w->mod.sframe_end = start + len;
}

/* Addresses are the file's. */
static inline void sfi_exec(struct uc_walk *w, u64 start, u64 end)
{
	struct uc_load *l = &w->mod.load[w->mod.nr_loads++];

	assert_true(w->mod.nr_loads <= UC_LOADS_MAX);
	*l = (struct uc_load){ .vaddr = start, .filesz = end - start, .exec = 1 };
}

static inline int sfi_row(struct uc_walk *w, u64 pc)
{
	w->scanned = 0;
	memset(&w->row, 0xa5, sizeof(w->row));
	return uc_sframe_row(w, pc);
}

/* ---- rows as text ---- */

static inline const char *sfi_reg(const struct uc_walk *w, u32 reg)
{
	static char name[2][16];
	static u32 turn;

	if (reg == w->abi.sp || reg == w->abi.fp)
		return reg == w->abi.sp ? "sp" : "fp";
	turn ^= 1;
	snprintf(name[turn], sizeof(name[turn]), "r%u", reg);
	return name[turn];
}

static inline void sfi_say_cfa(const struct uc_walk *w, char *ret, size_t size)
{
	const char *reg = sfi_reg(w, w->row.cfa_reg);
	long long off = w->row.cfa_off;

	if (w->row.cfa_kind == UC_CFA_NONE)
		snprintf(ret, size, "-");
	else if (w->row.cfa_kind == UC_CFA_REG)
		snprintf(ret, size, "%s%+lld", reg, off);
	else if (w->row.cfa_kind == UC_CFA_AT_REG)
		snprintf(ret, size, "(%s%+lld)", reg, off);
	else
		snprintf(ret, size, "kind %u", w->row.cfa_kind);
}

static inline void sfi_say_rule(const struct uc_walk *w, u32 reg, char *ret, size_t size)
{
	s32 val = w->row.val[reg];
	const char *of = sfi_reg(w, UC_RULE_REG(val));
	long long off = UC_RULE_REG_OFF(val);

	switch (w->row.kind[reg]) {
	case UC_RULE_UNSET:
		snprintf(ret, size, "u");
		return;
	case UC_RULE_UNDEFINED:
		snprintf(ret, size, "undefined");
		return;
	case UC_RULE_OFFSET:
		snprintf(ret, size, "c%+d", val);
		return;
	case UC_RULE_VAL_OFFSET: /* no fixture has it: is CFA + val */
		snprintf(ret, size, "v%+d", val);
		return;
	case UC_RULE_REGISTER:
		snprintf(ret, size, "%s+0", sfi_reg(w, (u32)val));
		return;
	case UC_RULE_VAL_REGISTER:
		snprintf(ret, size, "%s%+lld", of, off);
		return;
	case UC_RULE_AT_REGISTER:
		snprintf(ret, size, "(%s%+lld)", of, off);
		return;
	}
	snprintf(ret, size, "kind %u", w->row.kind[reg]);
}

/* "CFA RA FP FLAGS" as in a row's line; of an undefined return address the
 * rest is nothing to look at. */
static inline const char *sfi_say(const struct uc_walk *w)
{
	static char text[128];
	char cfa[32], ra[32], fp[32];

	sfi_say_cfa(w, cfa, sizeof(cfa));
	sfi_say_rule(w, w->row.ra_reg & UC_REG_MASK, ra, sizeof(ra));
	sfi_say_rule(w, w->abi.fp, fp, sizeof(fp));
	if (!strcmp(ra, "undefined"))
		return "- undefined - -";
	snprintf(text, sizeof(text), "%s %s %s %s", cfa, ra, fp, w->row.ra_state ? "m" : "-");
	return text;
}

/* What no row may say, or leave as it was. */
static inline void sfi_check_rest(const struct uc_walk *w)
{
	u32 i;

	assert_int_equal(w->row.ra_reg, w->abi.ra);
	assert_in_range(w->row.cfa_reg, 0, w->abi.nr_regs - 1);
	assert_int_equal(w->row.pc_kind, UC_RULE_UNSET);
	assert_int_equal(w->row.kind[w->abi.sp], UC_RULE_UNSET);
	for (i = 0; i < UC_REG_SLOTS; i++)
		if (i != w->abi.sp && i != w->abi.fp && i != w->abi.ra)
			assert_int_equal(w->row.kind[i], UC_RULE_UNDEFINED);
}

#endif
