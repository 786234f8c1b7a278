/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_frameindex.h"

#include "uc_dwarf.h"
#include "uc_limits.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AUGMENTATION_MAX 16 /* letters; the core reads no more */
#define FUNCTION_ALIGN 64 /* bytes; more than compilers put before a function */
#define DEAD_SECTIONS 4 /* power of two; .text, .text.unlikely, .startup, .exit */

/* Bytes of one record. After a flaw all reads give 0. */
struct cursor {
	const struct uc_frame_section *s;
	size_t pos, end; /* offsets in the section */
	enum uncoil_flaw flaw;
};

/* A record's frame: length and id. */
struct record {
	struct cursor body; /* behind the id */
	size_t next;
	bool is_empty; /* a terminator that linking left in the middle */
	bool is_cie;
	uint64_t cie; /* of an FDE: offset of its CIE */
};

/* What an FDE's addresses look like, as its CIE says. */
struct cie {
	uint64_t offset;
	enum uncoil_flaw flaw;
	uint8_t addr_size, segment_size; /* bytes */
	uint8_t encoding; /* UC_PE_* */
};

struct builder {
	const struct uc_frame_section *s;
	const struct uc_code_range *code;
	size_t nr_code, cap;
	struct uc_frameindex *out;
	struct cie cie; /* neighbours share it */
	/* Ends of the discarded functions before: one for each section. */
	uint64_t dead_cie, dead_end[DEAD_SECTIONS];
	size_t nr_dead;
	bool unsorted;
};

static void fail(struct cursor *c, enum uncoil_flaw flaw)
{
	if (!c->flaw)
		c->flaw = flaw;
	c->pos = c->end;
}

static uint64_t get(struct cursor *c, unsigned int size)
{
	const uint8_t *p = c->s->data + c->pos;
	bool big = c->s->big_endian;
	uint64_t v = 0;
	uint32_t half;
	unsigned int i;

	if (size > c->end - c->pos) {
		fail(c, UNCOIL_FLAW_TRUNCATED);
		return 0;
	}
	c->pos += size;
	switch (size) { /* nearly all are of these sizes */
	case 4:
		memcpy(&half, p, 4);
		return big ? be32toh(half) : le32toh(half);
	case 8:
		memcpy(&v, p, 8);
		return big ? be64toh(v) : le64toh(v);
	}
	for (i = 0; i < size; i++)
		v = v << 8 | p[big ? i : size - 1 - i];
	return v;
}

/* Bits beyond 64 must not be set, or repeat the sign. */
static bool leb_fits(uint64_t v, int group, uint8_t low, bool is_signed)
{
	if (group < 9)
		return true;
	if (group == 9)
		return low == 0 || low == (is_signed ? 0x7f : 1);
	return low == (is_signed && v >> 63 ? 0x7f : 0);
}

/* Padded numbers are fine, as in the core. */
static uint64_t get_leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < UC_LEB_BYTES; i++) {
		uint8_t b = (uint8_t)get(c, 1), low = b & 0x7f;

		if (!leb_fits(v, i, low, is_signed))
			break;
		if (i < 10)
			v |= (uint64_t)low << 7 * i;
		if (b & 0x80)
			continue;
		if (is_signed && i < 9 && b & 0x40)
			v |= ~0ull << 7 * (i + 1);
		return v;
	}
	fail(c, UNCOIL_FLAW_LEB128);
	return 0;
}

/* The number behind a pointer encoding's format, without its base. */
static uint64_t get_number(struct cursor *c, unsigned int format, unsigned int addr_size)
{
	switch (format) {
	case UC_PE_ABSPTR:
	case UC_PE_SIGNED:
		return get(c, addr_size);
	case UC_PE_ULEB128:
	case UC_PE_SLEB128:
		return get_leb(c, format == UC_PE_SLEB128);
	case UC_PE_UDATA2:
		return get(c, 2);
	case UC_PE_UDATA4:
		return get(c, 4);
	case UC_PE_SDATA2:
		return (uint64_t)(int16_t)get(c, 2);
	case UC_PE_SDATA4:
		return (uint64_t)(int32_t)get(c, 4);
	case UC_PE_UDATA8:
	case UC_PE_SDATA8:
		return get(c, 8);
	}
	fail(c, UNCOIL_FLAW_POINTER_ENCODING);
	return 0;
}

/* Open the record at @at. False if not even its length makes sense. */
static bool open_record(const struct uc_frame_section *s, size_t at, struct record *ret)
{
	struct cursor c = { .s = s, .pos = at, .end = s->size };
	uint64_t len = get(&c, 4), ones = 0xffffffff;
	unsigned int id_size = 4;

	if (len == 0xffffffff) {
		len = get(&c, 8);
		id_size = 8;
		ones = ~0ull;
	} else if (len >= 0xfffffff0) {
		return false;
	}
	if (c.flaw || len > s->size - c.pos)
		return false;
	c.end = c.pos + (size_t)len;
	ret->next = c.end;
	ret->is_empty = !len;
	ret->cie = len ? get(&c, id_size) : 0;
	ret->is_cie = ret->cie == ones;
	if (c.flaw)
		c.flaw = UNCOIL_FLAW_RECORD_LENGTH;
	ret->body = c;
	return true;
}

static void skip_personality(struct cursor *c, unsigned int addr_size)
{
	unsigned int enc = (unsigned int)get(c, 1);

	if (enc == UC_PE_OMIT)
		return;
	if ((enc & UC_PE_APPLICATION) == UC_PE_ALIGNED)
		fail(c, UNCOIL_FLAW_POINTER_ENCODING);
	get_number(c, enc & UC_PE_FORMAT, addr_size);
}

/* The data behind the letters of a 'z' augmentation: we want that of 'R'. */
static void read_augmentation(struct cursor *c, const char *letter, struct cie *cie)
{
	uint64_t len = get_leb(c, false);

	if (len > c->end - c->pos)
		fail(c, UNCOIL_FLAW_AUGMENTATION);
	else
		c->end = c->pos + (size_t)len;
	for (letter++; *letter && !c->flaw; letter++) {
		switch (*letter) {
		case 'R':
			cie->encoding = (uint8_t)get(c, 1);
			break;
		case 'P':
			skip_personality(c, cie->addr_size);
			break;
		case 'L':
			get(c, 1);
			break;
		case 'S':
		case 'B':
		case 'G':
			break;
		default: /* the layout after an unknown letter is unknown */
			return;
		}
	}
}

static void read_cie_body(struct cursor *c, struct cie *cie)
{
	char letters[AUGMENTATION_MAX + 1];
	unsigned int version = (unsigned int)get(c, 1), n = 0;

	if (!c->flaw && version != 1 && version != 3 && version != 4)
		fail(c, UNCOIL_FLAW_CIE_VERSION);
	while ((letters[n] = (char)get(c, 1)))
		if (++n > AUGMENTATION_MAX) {
			fail(c, UNCOIL_FLAW_AUGMENTATION);
			return;
		}
	if (!strcmp(letters, "eh")) /* g++ 2.x: a pointer to its tables */
		get(c, cie->addr_size);
	else if (n && letters[0] != 'z')
		fail(c, UNCOIL_FLAW_AUGMENTATION);
	if (version == 4) {
		cie->addr_size = (uint8_t)get(c, 1);
		cie->segment_size = (uint8_t)get(c, 1);
		if ((cie->addr_size != 4 && cie->addr_size != 8) || cie->segment_size > 8)
			fail(c, UNCOIL_FLAW_CIE_VERSION);
	}
	get_leb(c, false); /* code alignment */
	get_leb(c, true); /* data alignment */
	if (version == 1)
		get(c, 1); /* return address register */
	else
		get_leb(c, false);
	if (n && letters[0] == 'z')
		read_augmentation(c, letters, cie);
}

/* Make @b->cie the CIE at @offset, wherever that points. */
static void read_cie(struct builder *b, uint64_t offset)
{
	struct cie *cie = &b->cie;
	struct record r;

	if (cie->offset == offset)
		return;
	*cie = (struct cie){ .offset = offset, .addr_size = b->s->addr_size };
	if (offset >= b->s->size || !open_record(b->s, (size_t)offset, &r) || !r.is_cie) {
		cie->flaw = UNCOIL_FLAW_CIE_POINTER;
		return;
	}
	read_cie_body(&r.body, cie);
	cie->flaw = r.body.flaw;
}

static bool is_code(const struct builder *b, uint64_t start, uint64_t end)
{
	size_t lo = 0, hi = b->nr_code;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->code[mid].start <= start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && end <= b->code[lo - 1].end;
}

static int add_range(struct uc_frameindex *x, size_t *cap, uint64_t start, uint64_t end,
		     uint32_t fde)
{
	size_t want = *cap ? 2 * *cap : 256;
	struct uc_frame_range *grown;

	if (x->nr == *cap) {
		grown = realloc(x->range, want * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		x->range = grown;
		*cap = want;
	}
	x->range[x->nr++] = (struct uc_frame_range){ start, end, fde };
	return 0;
}

/*
 * Linkers leave the FDEs of what they discarded, at addresses that are none.
 * gold leaves those of a section with several functions where the section
 * would be if it were at 0, which may be other code: they follow each other.
 */
static bool is_dead(struct builder *b, uint64_t start, uint64_t len, uint64_t mask)
{
	size_t i;

	if (start == mask)
		return true;
	if (b->dead_cie != b->cie.offset) {
		b->dead_cie = b->cie.offset; /* another object's */
		b->nr_dead = 0;
	}
	if (start <= 1) {
		b->dead_end[b->nr_dead++ % DEAD_SECTIONS] = start + len;
		return true;
	}
	for (i = 0; i < b->nr_dead && i < DEAD_SECTIONS; i++) {
		if (start >= b->dead_end[i] && start - b->dead_end[i] < FUNCTION_ALIGN) {
			b->dead_end[i] = start + len;
			return true;
		}
	}
	return false;
}

static int add_fde(struct builder *b, size_t at, uint64_t start, uint64_t len, uint64_t mask)
{
	struct uc_frameindex *x = b->out;

	if (!len || is_dead(b, start, len, mask) || len > mask - start ||
	    !is_code(b, start, start + len)) {
		x->nr_unused++;
		return 0;
	}
	if (x->nr && start < x->range[x->nr - 1].end)
		b->unsorted = true;
	return add_range(x, &b->cap, start, start + len, (uint32_t)at);
}

/* Read an FDE's addresses. @ret_mask: the last address that there is. */
static void read_fde(const struct cie *cie, struct cursor *c, uint64_t *ret_start, uint64_t *ret_len,
		     uint64_t *ret_mask)
{
	unsigned int format = cie->encoding & UC_PE_FORMAT;
	uint64_t field, start;

	*ret_mask = cie->addr_size == 8 ? ~0ull : 0xffffffff;
	if (get(c, cie->segment_size)) /* not in the one address space that we know */
		*ret_mask = 0; /* no address is one */
	field = c->s->vaddr + c->pos;
	start = get_number(c, format, cie->addr_size);
	if ((cie->encoding & ~UC_PE_FORMAT) == UC_PE_PCREL)
		start = start ? start + field : 0;
	else if (cie->encoding & ~UC_PE_FORMAT)
		fail(c, UNCOIL_FLAW_POINTER_ENCODING);
	*ret_start = start & *ret_mask;
	/* the range is as wide, without sign or base */
	*ret_len = get_number(c, format & ~(unsigned int)UC_PE_SIGNED, cie->addr_size);
}

static void count_flaw(struct uc_frameindex *x, enum uncoil_flaw flaw, size_t at)
{
	if (!x->nr_flawed++) {
		x->flaw = flaw;
		x->flaw_offset = at;
	}
}

static int visit(struct builder *b, size_t at, struct record *r)
{
	enum uncoil_flaw flaw = r->body.flaw;
	uint64_t start = 0, len = 0, mask = 0;

	if (!flaw) {
		read_cie(b, r->is_cie ? at : r->cie);
		flaw = b->cie.flaw;
	}
	if (!flaw && !r->is_cie) {
		read_fde(&b->cie, &r->body, &start, &len, &mask);
		flaw = r->body.flaw;
	}
	if (flaw)
		count_flaw(b->out, flaw, at);
	else if (!r->is_cie)
		return add_fde(b, at, start, len, mask);
	return 0;
}

static int visit_all(struct builder *b)
{
	size_t at = 0;
	struct record r;
	int err = 0;

	while (at < b->s->size && !err) {
		if (!open_record(b->s, at, &r)) {
			count_flaw(b->out, UNCOIL_FLAW_RECORD_LENGTH, at);
			break;
		}
		if (!r.is_empty)
			err = visit(b, at, &r);
		at = r.next;
	}
	b->out->reached = at;
	return err;
}

/* Of FDEs with the same start the first in the section comes last. */
static int compare_ranges(const void *a, const void *b)
{
	const struct uc_frame_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->fde < y->fde) - (x->fde > y->fde);
}

/* FDEs that were begun and have not ended; the one that is meant is the last. */
struct open_fdes {
	const struct uc_frame_range *range;
	uint32_t *index;
	size_t nr;
	uint64_t pos; /* everything below has its range */
};

/* Give what lies between @open->pos and @limit to those that are open. */
static int advance(struct uc_frameindex *x, size_t *cap, struct open_fdes *open, uint64_t limit)
{
	while (open->nr && open->pos < limit) {
		const struct uc_frame_range *top = &open->range[open->index[open->nr - 1]];
		uint64_t stop = top->end < limit ? top->end : limit;

		if (top->end > open->pos) {
			if (add_range(x, cap, open->pos, stop, top->fde))
				return -ENOMEM;
			open->pos = stop;
		}
		if (top->end <= open->pos)
			open->nr--;
	}
	open->pos = limit;
	return 0;
}

/* Put ranges in order and, where they overlap, cut them. */
static int arrange(struct uc_frameindex *x)
{
	struct uc_frame_range *all = x->range;
	struct open_fdes open = { .range = all };
	size_t nr = x->nr, cap = 0, i;
	int err = 0;

	qsort(all, nr, sizeof(*all), compare_ranges);
	for (i = 1; i < nr && all[i - 1].end <= all[i].start; i++)
		;
	if (i == nr)
		return 0;
	x->range = NULL;
	x->nr = 0;
	open.index = malloc(nr * sizeof(*open.index));
	if (!open.index)
		err = -ENOMEM;
	for (i = 0; i < nr && !err; i++) {
		err = advance(x, &cap, &open, all[i].start);
		open.index[open.nr++] = (uint32_t)i;
	}
	if (!err)
		err = advance(x, &cap, &open, UINT64_MAX);
	free(open.index);
	free(all);
	return err;
}

static int compare_code(const void *a, const void *b)
{
	const struct uc_code_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static size_t arrange_code(struct uc_code_range *code, size_t nr)
{
	size_t i, kept = 0;

	if (nr)
		qsort(code, nr, sizeof(*code), compare_code);
	for (i = 0; i < nr; i++) {
		if (!kept || code[i].start > code[kept - 1].end)
			code[kept++] = code[i];
		else if (code[i].end > code[kept - 1].end)
			code[kept - 1].end = code[i].end;
	}
	return kept;
}

int uc_frameindex_build(const struct uc_frame_section *s, struct uc_code_range *code,
			size_t nr_code, struct uc_frameindex *ret)
{
	struct builder b = {
		.s = s,
		.code = code,
		.nr_code = arrange_code(code, nr_code),
		.out = ret,
		.cie.offset = UINT64_MAX,
		.dead_cie = UINT64_MAX,
	};
	int err;

	memset(ret, 0, sizeof(*ret));
	err = visit_all(&b);
	if (!err && b.unsorted)
		err = arrange(ret);
	if (err)
		uc_frameindex_fini(ret);
	return err;
}

void uc_frameindex_fini(struct uc_frameindex *x)
{
	free(x->range);
	memset(x, 0, sizeof(*x));
}

bool uc_frameindex_find(const struct uc_frameindex *x, uint64_t vaddr, uint64_t *ret_fde)
{
	size_t lo = 0, hi = x->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (x->range[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= x->range[lo - 1].end)
		return false;
	*ret_fde = x->range[lo - 1].fde;
	return true;
}
