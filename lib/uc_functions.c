/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_functions.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t vaddr; /* of the section */
	struct uc_functions *out;
	size_t cap;
	/* neighbouring FDEs share their CIE */
	Dwarf_Off cie_offset;
	int encoding; /* of the CIE's FDEs, or -1 */
	bool signal;
};

static bool big_endian(const struct reader *r)
{
	return r->ident[EI_DATA] == ELFDATA2MSB;
}

/* A number of DW_EH_PE_ format @format; its size, or 0. */
static size_t get_number(const struct reader *r, int format, const uint8_t *p, size_t len,
			 uint64_t *ret)
{
	bool be = big_endian(r);
	size_t size;
	uint64_t v64;
	uint32_t v32;

	switch (format & 7) {
	case DW_EH_PE_absptr:
		size = r->ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
		break;
	case DW_EH_PE_udata4:
		size = 4;
		break;
	case DW_EH_PE_udata8:
		size = 8;
		break;
	default: /* two bytes reach no function; LEB128 is used by nobody here */
		return 0;
	}
	if (len < size)
		return 0;
	if (size == 8) {
		memcpy(&v64, p, 8);
		*ret = be ? be64toh(v64) : le64toh(v64);
		return 8;
	}
	memcpy(&v32, p, 4);
	v32 = be ? be32toh(v32) : le32toh(v32);
	*ret = format & DW_EH_PE_signed ? (uint64_t)(int64_t)(int32_t)v32 : v32;
	return 4;
}

static size_t pointer_size(const struct reader *r, uint8_t encoding)
{
	uint8_t zeros[8] = { 0 };
	uint64_t ignored;

	return get_number(r, encoding & 0xf, zeros, sizeof(zeros), &ignored);
}

/* Find the pointer encoding and the signal flag in the augmentation. */
static void read_augmentation(struct reader *r, const Dwarf_CIE *cie)
{
	const uint8_t *p = cie->augmentation_data;
	const uint8_t *end = p + (p ? cie->augmentation_data_size : 0);
	const char *letter = cie->augmentation;
	size_t size;

	r->encoding = DW_EH_PE_absptr;
	r->signal = false;
	if (*letter == '\0')
		return;
	if (*letter++ != 'z')
		goto unknown;
	for (; *letter; letter++) {
		if (*letter == 'S') {
			r->signal = true;
			continue;
		}
		if (*letter == 'B' || *letter == 'G') /* AArch64: signed addresses, tagged memory */
			continue;
		if (p >= end)
			goto unknown;
		if (*letter == 'R') {
			r->encoding = *p++;
		} else if (*letter == 'L') {
			p++;
		} else if (*letter == 'P') {
			size = pointer_size(r, *p++);
			if (!size || size > (size_t)(end - p))
				goto unknown;
			p += size;
		} else {
			goto unknown;
		}
	}
	return;
unknown:
	r->encoding = -1;
}

static void read_cie(struct reader *r, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (offset == r->cie_offset)
		return;
	r->cie_offset = offset;
	r->encoding = -1;
	if (offset >= r->data->d_size)
		return;
	if (dwarf_next_cfi(r->ident, r->data, true, offset, &next, &entry) == 0 &&
	    dwarf_cfi_cie_p(&entry))
		read_augmentation(r, &entry.cie);
}

static int add_function(struct reader *r, uint64_t start, uint64_t len)
{
	struct uc_functions *out = r->out;
	struct uc_function *grown;

	if (!len || start + len < start)
		return 0;
	if (out->nr == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 256;
		grown = realloc(out->function, r->cap * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		out->function = grown;
	}
	out->function[out->nr++] = (struct uc_function){ start, start + len, r->signal };
	return 0;
}

static int read_fde(struct reader *r, const Dwarf_FDE *fde)
{
	size_t size, len = fde->end - fde->start;
	uint64_t start, range;

	read_cie(r, fde->CIE_pointer);
	if (r->encoding < 0)
		return 0;
	size = get_number(r, r->encoding & 0xf, fde->start, len, &start);
	if (!size)
		return 0;
	/* the range has the format of the address, but is not relative or signed */
	if (!get_number(r, r->encoding & 7, fde->start + size, len - size, &range))
		return 0;
	switch (r->encoding & ~0xf) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		start += r->vaddr + (fde->start - (const uint8_t *)r->data->d_buf);
		break;
	default:
		return 0;
	}
	if (r->ident[EI_CLASS] == ELFCLASS32)
		start = (uint32_t)start;
	return add_function(r, start, range);
}

static int read_section(struct reader *r)
{
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	int err = 0, got;

	while (!err) {
		next = offset;
		got = dwarf_next_cfi(r->ident, r->data, true, offset, &next, &entry);
		/* behind a bad entry libdw says where to go on, or stays */
		if (got > 0 || next <= offset)
			break;
		if (got == 0 && !dwarf_cfi_cie_p(&entry))
			err = read_fde(r, &entry.fde);
		offset = next;
	}
	return err;
}

/* A separate debug file has an .eh_frame of type NOBITS, without data. */
static Elf_Scn *find_eh_frame(Elf *elf, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t strndx;

	if (elf_getshdrstrndx(elf, &strndx))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, strndx, shdr->sh_name);
		if (name && !strcmp(name, ".eh_frame"))
			return scn;
	}
	return NULL;
}

static int compare_start(const void *a, const void *b)
{
	const struct uc_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int uc_functions_read(Elf *elf, struct uc_functions *ret)
{
	struct reader r = { .out = ret, .cie_offset = (Dwarf_Off)-1, .encoding = -1 };
	GElf_Shdr shdr;
	Elf_Scn *scn;

	memset(ret, 0, sizeof(*ret));
	scn = find_eh_frame(elf, &shdr);
	if (!scn)
		return 0;
	r.ident = (const unsigned char *)elf_getident(elf, NULL);
	r.data = elf_rawdata(scn, NULL);
	r.vaddr = shdr.sh_addr;
	if (!r.ident || !r.data || !r.data->d_buf)
		return 0;
	if (read_section(&r)) {
		uc_functions_fini(ret);
		return -ENOMEM;
	}
	if (ret->nr)
		qsort(ret->function, ret->nr, sizeof(*ret->function), compare_start);
	return 0;
}

void uc_functions_fini(struct uc_functions *f)
{
	free(f->function);
	memset(f, 0, sizeof(*f));
}

const struct uc_function *uc_functions_find(const struct uc_functions *f, uint64_t vaddr)
{
	size_t lo = 0, hi = f->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->function[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= f->function[lo - 1].end)
		return NULL;
	return &f->function[lo - 1];
}
