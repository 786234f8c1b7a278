/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All rows of a file: what every function's unwind data says at every
 * instruction, as the core decodes it, and all that is wrong with it.
 */
#ifndef UC_ROWS_H
#define UC_ROWS_H

#include "uc_image.h"

enum uc_rows_source { UC_ROWS_EHFRAME, UC_ROWS_SFRAME, UC_ROWS_DEBUGFRAME };

enum uc_rows_kind {
	UC_ROWS_FDE, /* a function begins; its rows follow, without another between */
	UC_ROWS_ROW,
	UC_ROWS_FLAW,
};

/*
 * Valid during the callback only. Addresses are ELF virtual addresses; an end is
 * exclusive, and lies at start where nothing is covered: discarded functions,
 * rows behind the function's end.
 */
struct uc_rows_event {
	enum uc_rows_kind kind;
	enum uc_image_section_id section; /* that offset counts in */
	u64 offset; /* FDE, ROW: of the FDE; FLAW: of what is wrong */
	u64 record; /* FLAW: offset of the FDE or CIE in its section, or of offset itself */

	u64 start, end; /* FDE, ROW */
	bool is_signal; /* a signal frame: its caller was interrupted */
	u32 repeat; /* .sframe: rows are of the first of the blocks of so many bytes */
	bool by_table; /* FDE: only .eh_frame_hdr leads to it */
	bool behind_end; /* FDE: a terminator is before it in the section */

	const struct uc_row *row; /* ROW */
	/* Of the FDE at hand: w->fde or w->sf. To be looked at alone. */
	const struct uc_walk *walk;

	int stop; /* FLAW: how live walks would stop: MALFORMED, UNSUPPORTED, ... */
	enum uncoil_flaw flaw;
};

/* 0, or anything else to end the iteration. */
typedef int uc_rows_fn(const struct uc_rows_event *event, void *arg);

/**
 * uc_rows_each() - visit all rows of a file
 * @img:    the file
 * @source: which unwind data
 * @fn:     called for each function, row, and flaw
 *
 * Records come in the section's order, then those that .eh_frame_hdr alone
 * leads to. A flaw in a function's CFA program ends its rows: those before hold.
 * Two rows of a function that follow each other may be equal.
 *
 * Return: 0; what @fn returned; -ENOENT if the file has no such data; for
 * DEBUGFRAME what uc_debugframe_open() says; or -ENOMEM.
 */
int uc_rows_each(const struct uc_image *img, enum uc_rows_source source, uc_rows_fn *fn,
		 void *arg);

/**
 * uc_rows_block() - the bytes of a row's expression
 * @event: the row's event
 * @place: cfa_expr of the row, or val of a register whose rule is an expression
 * @buf:   receives the operators
 *
 * Return: their number of bytes, which may be more than @size: @buf has the
 * first @size then; or -EFAULT.
 */
s64 uc_rows_block(const struct uc_rows_event *event, s64 place, u8 *buf, size_t size);

#endif
