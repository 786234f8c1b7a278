/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the unwind data of many files asks of an unwinder: which bases the CFA
 * has, which rules registers have, which expressions occur, which registers a
 * step needs, and how many rows fit the cache. All is counted in rows, and in
 * bytes of code that they hold for.
 */
#ifndef UC_SURVEY_H
#define UC_SURVEY_H

#include "uc_rows.h"

struct uc_survey_count {
	u64 rows, bytes;
};

/* Expressions with each number replaced by N: "*(rbp-N)". */
struct uc_survey_shape {
	char *text;
	struct uc_survey_count count;
};

/* Kinds of a CFA: a register + offset by the register's role, and the rest. */
enum uc_survey_cfa {
	UC_SURVEY_CFA_SP,
	UC_SURVEY_CFA_FP,
	UC_SURVEY_CFA_OTHER,
	UC_SURVEY_CFA_EXPR,
	UC_SURVEY_CFA_NONE, /* of outermost frames, mostly */
	UC_SURVEY_CFAS
};

/* Registers that are known when a step begins, the return address's own on machines
 * that have one among them. */
enum uc_survey_subset {
	UC_SURVEY_SP,
	UC_SURVEY_SP_FP,
	UC_SURVEY_PRESERVED, /* and the stack pointer */
	UC_SURVEY_ALL,
	UC_SURVEY_SUBSETS
};

/* Of one ABI: registers are numbered differently in another. */
struct uc_survey {
	enum uc_abi_id abi;
	u64 files, functions, flaws, section_bytes;
	struct uc_survey_count all;
	struct uc_survey_count cfa[UC_SURVEY_CFAS];
	struct uc_survey_count cfa_register[UC_REG_SLOTS];
	/* By register, the return address's column among them (UC_RA_PC: its own). */
	struct uc_survey_count rule[UC_REG_SLOTS + 1][UC_RULE_AT_REGISTER + 1];
	struct uc_survey_count walkable[UC_SURVEY_SUBSETS];
	struct uc_survey_count outermost; /* of these: nothing is needed, the walk ends */
	struct uc_survey_count packable; /* fit the engine's row cache */
	struct uc_survey_count signal;
	struct uc_survey_shape *shape;
	size_t nr_shapes, room;
	u64 shapes_not_kept; /* rows with expressions beyond UC_SURVEY_SHAPES */
};

#define UC_SURVEY_SHAPES 4096

/**
 * uc_survey_add() - add a file
 * @s:      of the file's ABI; zeroed, but for abi, before the first
 * @source: which of its data
 *
 * Return: 0; -ENOENT if the file has no such data; or -ENOMEM.
 */
int uc_survey_add(struct uc_survey *s, const struct uc_image *img, enum uc_rows_source source);
/* Shapes by rows, the most frequent first. */
void uc_survey_sort(struct uc_survey *s);
void uc_survey_fini(struct uc_survey *s);

#endif
