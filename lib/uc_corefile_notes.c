/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Notes of a core file: the threads, their registers, the files that were
 * mapped, the auxiliary vector. Layouts are the kernel's (struct elf_prstatus of
 * include/linux/elfcore.h with each machine's elf_gregset_t; fs/binfmt_elf.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/aarch64.h"
#include "arch/i386.h"
#include "arch/s390x.h"
#include "arch/x86_64.h"
#include "uc_corefile_parts.h"
#include "uc_unwind.h"

#define NO_REG 255

/* Where a machine's registers are in NT_PRSTATUS. */
struct layout {
	u16 machine;
	u8 class, data;
	u8 abi;
	u8 pid, regs; /* offsets */
	u8 word; /* bytes of a register */
	u8 nr; /* registers by DWARF number, whose words follow: */
	u8 at[UC_REG_SLOTS]; /* in words from regs */
	u8 pc, cs; /* NO_REG: none */
};

/* clang-format off */
#define X86_64_AT 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0
#define AARCH64_AT 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, \
	21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
#define S390X_AT 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17

static const struct layout layouts[] = {
	{ EM_X86_64, ELFCLASS64, ELFDATA2LSB, UC_ABI_X86_64, 32, 112, 8, 16, { X86_64_AT }, 16, 17 },
	{ EM_X86_64, ELFCLASS32, ELFDATA2LSB, UC_ABI_X32, 24, 72, 8, 16, { X86_64_AT }, 16, NO_REG },
	{ EM_386, ELFCLASS32, ELFDATA2LSB, UC_ABI_I386, 24, 72, 4, 8,
	  { 6, 1, 2, 0, 15, 5, 3, 4 }, 12, NO_REG },
	{ EM_AARCH64, ELFCLASS64, ELFDATA2LSB, UC_ABI_AARCH64, 32, 112, 8, 32, { AARCH64_AT }, 32,
	  NO_REG },
	{ EM_AARCH64, ELFCLASS64, ELFDATA2MSB, UC_ABI_AARCH64_BE, 32, 112, 8, 32, { AARCH64_AT },
	  32, NO_REG },
	{ EM_S390, ELFCLASS64, ELFDATA2MSB, UC_ABI_S390X, 32, 112, 8, 16, { S390X_AT }, 1, NO_REG },
};

/* Floating point registers in the order of DWARF's numbers from 16 on (formats
 * sheet 4.2). In NT_FPREGSET they follow the control word and padding. */
static const u8 s390x_fpr[16] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };
/* clang-format on */
#define S390X_FPRS 8
#define S390X_FPREGSET (S390X_FPRS + 16 * 8)

#define PRSTATUS_MAX (112 + 34 * 8) /* up to the end of the registers */

static const struct layout *layout_of(const struct uc_corefile *c)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		const struct layout *l = &layouts[i];

		if (l->machine == c->machine && l->class == c->class && l->data == c->data)
			return l;
	}
	return NULL;
}

bool uc_core_machine_set(struct uc_corefile *c)
{
	const struct layout *l = layout_of(c);

	if (l)
		c->abi = l->abi;
	return l;
}

/* Bytes of NT_PRSTATUS that are needed. */
static u64 prstatus_size(const struct layout *l)
{
	u8 last = l->pc;

	for (u8 i = 0; i < l->nr; i++)
		if (l->at[i] > last)
			last = l->at[i];
	return l->regs + (last + 1u) * l->word;
}

/* ---- reading the notes ---- */

struct note {
	u32 type;
	char name[8];
	u64 desc, len; /* place of the content in the core file */
};

static int add_thread(struct uc_corefile *c, const struct note *n)
{
	const struct layout *l = layout_of(c);
	u8 pid[4];

	if (n->len < prstatus_size(l))
		return uc_core_fail(c, -EBADMSG, "NT_PRSTATUS of thread %zu is too short: %llu bytes",
				    c->nr_threads, (unsigned long long)n->len);
	if (c->nr_threads == UC_CORE_THREADS_MAX)
		return uc_core_fail(c, -EFBIG, "more than %u threads", UC_CORE_THREADS_MAX);
	if (c->nr_threads == c->cap_threads) {
		size_t cap = c->cap_threads ? 2 * c->cap_threads : 16;
		void *grown = reallocarray(c->thread, cap, sizeof(*c->thread));

		if (!grown)
			return uc_core_fail(c, -ENOMEM, "out of memory");
		c->thread = grown;
		c->cap_threads = cap;
	}
	if (uc_core_pread(c, n->desc + l->pid, pid, sizeof(pid)))
		return uc_core_fail(c, -EIO, "cannot read NT_PRSTATUS");
	c->thread[c->nr_threads++] = (struct uc_core_thread){ .prstatus = n->desc,
							      .tid = (s32)uc_core_u32(c, pid) };
	return 0;
}

/* It follows its thread's NT_PRSTATUS. */
static int add_fpregs(struct uc_corefile *c, const struct note *n)
{
	if (c->abi != UC_ABI_S390X || !c->nr_threads)
		return 0;
	if (n->len < S390X_FPREGSET)
		return uc_core_fail(c, -EBADMSG, "NT_FPREGSET of thread %zu is too short: %llu bytes",
				    c->nr_threads - 1, (unsigned long long)n->len);
	c->thread[c->nr_threads - 1].fpregs = n->desc;
	return 0;
}

/*
 * The mask of instruction addresses has bits 54 to the size of a user address
 * (Linux, ptrauth_user_pac_mask()); bits above 54 are zero or a tag there.
 */
static int add_pac_mask(struct uc_corefile *c, const struct note *n)
{
	u8 mask[16];
	u64 code;

	if (c->abi != UC_ABI_AARCH64 && c->abi != UC_ABI_AARCH64_BE)
		return 0;
	if (n->len < sizeof(mask) || uc_core_pread(c, n->desc, mask, sizeof(mask)))
		return uc_core_fail(c, -EBADMSG, "NT_ARM_PAC_MASK is too short");
	code = ~uc_core_u64(c, mask + 8) & ((1ull << 55) - 1);
	if ((code & (code + 1)) || code < (1ull << 36) - 1)
		return uc_core_fail(c, -EBADMSG, "NT_ARM_PAC_MASK is no mask of an address's upper bits");
	c->code_mask = code;
	return 0;
}

static int keep_nt_file(struct uc_corefile *c, const struct note *n)
{
	if (c->nt_file)
		return uc_core_fail(c, -EBADMSG, "has NT_FILE twice");
	if (n->len > UC_CORE_NT_FILE_MAX)
		return uc_core_fail(c, -EFBIG, "NT_FILE of %llu bytes is too long",
				    (unsigned long long)n->len);
	c->nt_file = malloc(n->len + 1);
	if (!c->nt_file)
		return uc_core_fail(c, -ENOMEM, "out of memory");
	if (uc_core_pread(c, n->desc, c->nt_file, n->len))
		return uc_core_fail(c, -EIO, "cannot read NT_FILE");
	c->nt_file[n->len] = 0;
	c->nt_file_len = n->len;
	return 0;
}

static int take_note(struct uc_corefile *c, const struct note *n)
{
	if (!strcmp(n->name, "LINUX"))
		return n->type == NT_ARM_PAC_MASK ? add_pac_mask(c, n) : 0;
	if (strcmp(n->name, "CORE"))
		return 0;
	switch (n->type) {
	case NT_PRSTATUS:
		return add_thread(c, n);
	case NT_FPREGSET:
		return add_fpregs(c, n);
	case NT_FILE:
		return keep_nt_file(c, n);
	case NT_AUXV:
		c->auxv = n->desc;
		c->auxv_len = n->len;
		return 0;
	}
	return 0;
}

int uc_core_notes(struct uc_corefile *c, u64 off, u64 len)
{
	u64 end = off + len, left;

	if (off > c->size || len > c->size - off)
		return uc_core_fail(c, -EBADMSG, "ends inside its notes");
	while (end - off >= sizeof(Elf64_Nhdr)) {
		u8 header[sizeof(Elf64_Nhdr)];
		struct note n = { 0 };
		u64 namesz, name_room;
		int rc;

		if (c->nr_notes++ == UC_CORE_NOTES_MAX)
			return uc_core_fail(c, -EFBIG, "more than %u notes", UC_CORE_NOTES_MAX);
		if (uc_core_pread(c, off, header, sizeof(header)))
			return uc_core_fail(c, -EIO, "cannot read its notes");
		off += sizeof(header);
		namesz = uc_core_u32(c, header);
		n.len = uc_core_u32(c, header + 4);
		n.type = uc_core_u32(c, header + 8);
		left = end - off;
		name_room = (namesz + 3) & ~3ull;
		if (name_room > left || n.len > left - name_room)
			return uc_core_fail(c, -EBADMSG, "a note at 0x%llx reaches beyond its segment",
					    (unsigned long long)(off - sizeof(header)));
		if (namesz < sizeof(n.name) && uc_core_pread(c, off, n.name, namesz))
			return uc_core_fail(c, -EIO, "cannot read its notes");
		n.desc = off + name_room;
		rc = take_note(c, &n);
		if (rc)
			return rc;
		off = n.desc + n.len;
		off += -n.len & 3; /* the last one's padding may be missing */
		if (off > end)
			off = end;
	}
	return 0;
}

/* ---- NT_FILE ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct uc_core_named *)a)->name, ((const struct uc_core_named *)b)->name);
}

static int by_start(const void *a, const void *b)
{
	const struct uc_core_named *n = a, *m = b;

	return (n->start > m->start) - (n->start < m->start);
}

/*
 * count, page size, then per range start, end and offset in pages, then as many
 * names, each with its NUL; words of the class's size.
 */
static int parse_nt_file(struct uc_corefile *c)
{
	const char *at = c->nt_file, *end = at + c->nt_file_len;
	u32 word = uc_core_word_size(c);
	u64 count, i;

	if (c->nt_file_len < 2 * word)
		return uc_core_fail(c, -EBADMSG, "NT_FILE is too short");
	count = uc_core_word(c, at);
	c->page = uc_core_word(c, at + word);
	if (!c->page)
		return uc_core_fail(c, -EBADMSG, "NT_FILE has a page size of 0");
	at += 2 * word;
	if (count > (u64)(end - at) / (3 * word))
		return uc_core_fail(c, -EBADMSG, "NT_FILE says that it has more than it has");
	c->named = calloc(count + 1, sizeof(*c->named));
	c->file = calloc(count + 1, sizeof(*c->file));
	if (!c->named || !c->file)
		return uc_core_fail(c, -ENOMEM, "out of memory");
	for (i = 0; i < count; i++, at += 3 * word) {
		struct uc_core_named *n = &c->named[i];

		n->start = uc_core_word(c, at);
		n->end = uc_core_word(c, at + word);
		if (n->start >= n->end ||
		    __builtin_mul_overflow(uc_core_word(c, at + 2 * word), c->page, &n->off) ||
		    n->off + (n->end - n->start) < n->off)
			return uc_core_fail(c, -EBADMSG, "entry %llu of NT_FILE makes no sense",
					    (unsigned long long)i);
	}
	for (i = 0; i < count; i++) {
		if (at >= end)
			return uc_core_fail(c, -EBADMSG, "NT_FILE lacks names");
		c->named[i].name = at;
		at += strlen(at) + 1;
	}
	c->nr_named = count;
	return 0;
}

int uc_core_name_files(struct uc_corefile *c)
{
	int rc = c->nt_file ? parse_nt_file(c) : 0;
	size_t i;
	u64 vdso;

	if (rc)
		return rc;
	if (c->nr_named)
		qsort(c->named, c->nr_named, sizeof(*c->named), by_name);
	for (i = 0; i < c->nr_named; i++) {
		struct uc_core_named *n = &c->named[i];

		if (!i || strcmp(n->name, n[-1].name))
			c->file[c->nr_files++] = (struct uc_core_file){ .name = n->name, .fd = -1 };
		n->file = (u32)c->nr_files - 1;
	}
	if (c->nr_named)
		qsort(c->named, c->nr_named, sizeof(*c->named), by_start);
	for (i = 1; i < c->nr_named; i++)
		if (c->named[i].start < c->named[i - 1].end)
			return uc_core_fail(c, -EBADMSG, "ranges of NT_FILE overlap at 0x%llx",
					    (unsigned long long)c->named[i].start);
	if (uc_corefile_auxv(c, AT_SYSINFO_EHDR, &vdso))
		c->vdso = vdso;
	return 0;
}

/* ---- the auxiliary vector ---- */

bool uc_corefile_auxv(const struct uc_corefile *c, u64 type, u64 *ret)
{
	u32 word = uc_core_word_size(c), i;

	for (i = 0; i < UC_CORE_AUXV_MAX && (i + 1ull) * 2 * word <= c->auxv_len; i++) {
		u8 entry[16];

		if (uc_core_pread(c, c->auxv + i * 2ull * word, entry, 2 * word) ||
		    uc_core_word(c, entry) == AT_NULL)
			return false;
		if (uc_core_word(c, entry) == type) {
			*ret = uc_core_word(c, entry + word);
			return true;
		}
	}
	return false;
}

/* ---- registers ---- */

static int read_fprs(const struct uc_corefile *c, u64 at, struct uc_regs *regs)
{
	u8 bytes[S390X_FPREGSET];

	if (uc_core_pread(c, at, bytes, sizeof(bytes)))
		return -EIO;
	for (u32 i = 0; i < 16; i++) {
		regs->r[UC_S390_F0 + i] = uc_core_u64(c, bytes + S390X_FPRS + 8 * s390x_fpr[i]);
		regs->known |= UC_BIT(UC_S390_F0 + i);
	}
	return 0;
}

static u64 gpr(const struct uc_corefile *c, const struct layout *l, const u8 *regs, u8 at)
{
	regs += at * l->word;
	return l->word == 8 ? uc_core_u64(c, regs) : uc_core_u32(c, regs);
}

int uc_corefile_regs(const struct uc_corefile *c, size_t thread, struct uc_walk *w)
{
	const struct layout *l = layout_of(c);
	const struct uc_core_thread *t = &c->thread[thread];
	u8 bytes[PRSTATUS_MAX];
	u8 *regs = bytes + l->regs;

	if (uc_core_pread(c, t->prstatus, bytes, prstatus_size(l)))
		return -EIO;
	/* __USER32_CS (arch/x86/include/asm/segment.h): the file has no such ABI. */
	if (l->cs != NO_REG && (u16)gpr(c, l, regs, l->cs) == 0x23)
		return -ENOTSUP;
	uc_abi_set(w, c->abi);
	if (c->code_mask)
		w->abi.code_mask = c->code_mask;
	w->unwind = uc_unwind_default();
	memset(&w->regs, 0, sizeof(w->regs));
	for (u8 i = 0; i < l->nr; i++) {
		w->regs.r[i] = gpr(c, l, regs, l->at[i]);
		w->regs.known |= UC_BIT(i);
	}
	w->regs.pc = gpr(c, l, regs, l->pc);
	return t->fpregs ? read_fprs(c, t->fpregs, &w->regs) : 0;
}
