/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A small ELF file made by hand, of either class and byte order (System V gABI):
 *
 *	0x000	headers; one PT_LOAD, executable, from here to 0x2000 at ELF_BASE
 *	0x200	code
 *	0x300	.eh_frame_hdr
 *	0x400	.eh_frame
 *	0x2000	names of sections, section headers
 */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <elf.h>

#include "uc_types.h"

#define ELF_BASE 0x10000ull
#define ELF_CODE (ELF_BASE + 0x200)
#define ELF_HDR 0x300u
#define ELF_EH 0x400u
#define ELF_LOADED 0x2000u
#define ELF_SHOFF 0x2100u
#define ELF_SIZE 0x2400u

struct elf_file {
	u8 bytes[ELF_SIZE];
	bool is64, is_big;
	u32 nr_phdrs, nr_shdrs;
	u32 at; /* where .eh_frame's next record goes */
};

static inline void elf_put(struct elf_file *e, u32 at, u64 value, u32 len)
{
	u32 i;

	assert_true(at + len <= ELF_SIZE);
	for (i = 0; i < len; i++)
		e->bytes[at + (e->is_big ? len - 1 - i : i)] = (u8)(value >> (8 * i));
}

/* A field that is as wide as an address; at its two offsets. */
static inline void elf_put_addr(struct elf_file *e, u32 at64, u32 at32, u64 value)
{
	elf_put(e, e->is64 ? at64 : at32, value, e->is64 ? 8 : 4);
}

static inline void elf_phdr(struct elf_file *e, u32 type, u32 flags, u64 off, u64 vaddr, u64 size)
{
	u32 at = (e->is64 ? 64 : 52) + e->nr_phdrs++ * (e->is64 ? 56 : 32);

	elf_put(e, at, type, 4);
	elf_put(e, at + (e->is64 ? 4 : 24), flags, 4);
	elf_put_addr(e, at + 8, at + 4, off);
	elf_put_addr(e, at + 16, at + 8, vaddr);
	elf_put_addr(e, at + 32, at + 16, size);
	elf_put_addr(e, at + 40, at + 20, size);
	elf_put(e, e->is64 ? 56 : 44, e->nr_phdrs, 2);
}

/* Names are at their place in elf_begin()'s list. */
static inline void elf_shdr(struct elf_file *e, u32 name, u32 type, u64 flags, u64 addr, u64 off,
			    u64 size)
{
	u32 at = ELF_SHOFF + e->nr_shdrs++ * (e->is64 ? 64 : 40);

	elf_put(e, at, name, 4);
	elf_put(e, at + 4, type, 4);
	elf_put_addr(e, at + 8, at + 8, flags);
	elf_put_addr(e, at + 16, at + 12, addr);
	elf_put_addr(e, at + 24, at + 16, off);
	elf_put_addr(e, at + 32, at + 20, size);
	elf_put(e, e->is64 ? 60 : 48, e->nr_shdrs, 2);
	elf_put_addr(e, 40, 32, ELF_SHOFF);
}

enum { ELF_NAME_EH = 1, ELF_NAME_EH_HDR = 11, ELF_NAME_TEXT = 25, ELF_NAME_STRINGS = 31 };

/* Headers, and sections without .eh_frame. */
static inline void elf_begin(struct elf_file *e, u32 machine, bool is64, bool is_big)
{
	static const char names[] = "\0.eh_frame\0.eh_frame_hdr\0.text\0.shstrtab";

	memset(e, 0, sizeof(*e));
	e->is64 = is64;
	e->is_big = is_big;
	memcpy(e->bytes, ELFMAG, 4);
	e->bytes[EI_CLASS] = is64 ? ELFCLASS64 : ELFCLASS32;
	e->bytes[EI_DATA] = is_big ? ELFDATA2MSB : ELFDATA2LSB;
	e->bytes[EI_VERSION] = EV_CURRENT;
	elf_put(e, 16, ET_DYN, 2);
	elf_put(e, 18, machine, 2);
	elf_put(e, 20, EV_CURRENT, 4);
	elf_put_addr(e, 32, 28, is64 ? 64 : 52);
	elf_put(e, is64 ? 52 : 40, is64 ? 64 : 52, 2);
	elf_put(e, is64 ? 54 : 42, is64 ? 56 : 32, 2);
	elf_put(e, is64 ? 58 : 46, is64 ? 64 : 40, 2);
	elf_put(e, is64 ? 62 : 50, 1, 2);
	elf_phdr(e, PT_LOAD, PF_R | PF_X, 0, ELF_BASE, ELF_LOADED);
	memcpy(e->bytes + ELF_LOADED, names, sizeof(names));
	elf_shdr(e, 0, SHT_NULL, 0, 0, 0, 0);
	elf_shdr(e, ELF_NAME_STRINGS, SHT_STRTAB, 0, 0, ELF_LOADED, sizeof(names));
	elf_shdr(e, ELF_NAME_TEXT, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, ELF_CODE, 0x200, 0x100);
	e->at = ELF_EH;
}

/* A record from its id on, padded with nops; its place. */
static inline u32 elf_record(struct elf_file *e, u32 id, const u8 *body, u32 len)
{
	u32 at = e->at;

	elf_put(e, at, (4 + len + 3) & ~3u, 4);
	elf_put(e, at + 4, id, 4);
	memcpy(e->bytes + at + 8, body, len);
	e->at += 4 + ((4 + len + 3) & ~3u);
	return at;
}

/* Version 1, "zR" (pcrel, sdata4), code 1, data -8. */
static inline u32 elf_cie(struct elf_file *e, u8 ra, const u8 *insns, u32 len)
{
	u8 body[64] = { 1, 'z', 'R', 0, 1, 0x78, ra, 1, 0x1b };

	assert_true(len <= sizeof(body) - 9);
	memcpy(body + 9, insns, len);
	return elf_record(e, 0, body, 9 + len);
}

static inline u32 elf_fde(struct elf_file *e, u32 cie, u64 start, u32 size, const u8 *insns,
			  u32 len)
{
	u32 at = e->at;
	u8 body[64] = { 0 };

	assert_true(len <= sizeof(body) - 9);
	memcpy(body + 9, insns, len);
	elf_record(e, at + 4 - cie, body, 9 + len);
	elf_put(e, at + 8, start - (ELF_BASE + at + 8), 4);
	elf_put(e, at + 12, size, 4);
	return at;
}

/* The section header of .eh_frame, as long as it is now. */
static inline void elf_end_records(struct elf_file *e)
{
	elf_shdr(e, ELF_NAME_EH, SHT_PROGBITS, SHF_ALLOC, ELF_BASE + ELF_EH, ELF_EH, e->at - ELF_EH);
}

/* .eh_frame_hdr with a table of one row; its segment. */
static inline void elf_table(struct elf_file *e, u64 start, u32 fde)
{
	static const u8 form[] = { 1, 0x1b, 0x03, 0x3b };

	memcpy(e->bytes + ELF_HDR, form, sizeof(form));
	elf_put(e, ELF_HDR + 4, ELF_EH - (ELF_HDR + 4), 4);
	elf_put(e, ELF_HDR + 8, 1, 4);
	elf_put(e, ELF_HDR + 12, start - (ELF_BASE + ELF_HDR), 4);
	elf_put(e, ELF_HDR + 16, fde - ELF_HDR, 4);
	elf_phdr(e, PT_GNU_EH_FRAME, PF_R, ELF_HDR, ELF_BASE + ELF_HDR, 20);
}

#define BYTES(...) (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })

#endif
