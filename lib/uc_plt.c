/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	uint64_t addr; /* of the GOT entry */
	const char *name;
};

struct slots {
	struct slot *slot;
	size_t nr, cap;
};

static int add_slot(struct slots *slots, uint64_t addr, const char *name)
{
	struct slot *grown;

	if (slots->nr == slots->cap) {
		slots->cap = slots->cap ? 2 * slots->cap : 128;
		grown = realloc(slots->slot, slots->cap * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		slots->slot = grown;
	}
	slots->slot[slots->nr++] = (struct slot){ addr, name };
	return 0;
}

/* The name of symbol @index of the table that relocations at @rela refer to. */
static const char *symbol_name(Elf *elf, const GElf_Shdr *rela, size_t index)
{
	Elf_Scn *scn = elf_getscn(elf, rela->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!index || index > INT32_MAX || !data || !gelf_getshdr(scn, &shdr) ||
	    !gelf_getsym(data, (int)index, &sym))
		return NULL;
	name = elf_strptr(elf, shdr.sh_link, sym.st_name);
	return name && *name ? name : NULL;
}

static int read_relocations(Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr, struct slots *slots)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	const char *name;
	GElf_Rela rela;
	int i, err = 0;

	for (i = 0; data && !err && gelf_getrela(data, i, &rela); i++) {
		uint64_t type = GELF_R_TYPE(rela.r_info);

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		name = symbol_name(elf, shdr, GELF_R_SYM(rela.r_info));
		if (name)
			err = add_slot(slots, rela.r_offset, name);
	}
	return err;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* "jmp *disp32(%rip)", behind endbr64 and a bnd prefix if any; the slot's address. */
static bool find_jump(const uint8_t *stub, size_t len, uint64_t vaddr, uint64_t *ret)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t disp;

	if (len >= sizeof(endbr64) && !memcmp(stub, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < len && stub[at] == 0xf2)
		at++;
	if (at + 6 > len || stub[at] != 0xff || stub[at + 1] != 0x25)
		return false;
	disp = (int32_t)(stub[at + 2] | stub[at + 3] << 8 | stub[at + 4] << 16 |
			 (uint32_t)stub[at + 5] << 24);
	*ret = vaddr + at + 6 + (uint64_t)(int64_t)disp;
	return true;
}

static int read_stubs(Elf_Scn *scn, const GElf_Shdr *shdr, const struct slots *slots, uc_plt_fn fn,
		      void *arg)
{
	Elf_Data *data = elf_rawdata(scn, NULL);
	/* linkers agree on 16 bytes, but for .plt.got; some leave the field 0 */
	size_t at, size = shdr->sh_entsize == 8 ? 8 : 16;
	const struct slot *slot;
	int err = 0;

	if (!data || !data->d_buf)
		return 0;
	for (at = 0; !err && at + size <= data->d_size; at += size) {
		uint64_t start = shdr->sh_addr + at;
		struct slot key;

		if (!find_jump((const uint8_t *)data->d_buf + at, size, start, &key.addr))
			continue;
		slot = bsearch(&key, slots->slot, slots->nr, sizeof(key), compare_slots);
		if (slot)
			err = fn(arg, start, start + size, slot->name);
	}
	return err;
}

static bool is_plt(Elf *elf, size_t strndx, const GElf_Shdr *shdr)
{
	const char *name = elf_strptr(elf, strndx, shdr->sh_name);

	return name && !strncmp(name, ".plt", 4) && shdr->sh_type == SHT_PROGBITS &&
	       shdr->sh_flags & SHF_EXECINSTR;
}

static int read_sections(Elf *elf, size_t strndx, struct slots *slots, uc_plt_fn fn, void *arg)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	int err = 0;

	while (!err && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA &&
		    shdr.sh_flags & SHF_ALLOC)
			err = read_relocations(elf, scn, &shdr, slots);
	if (err || !slots->nr)
		return err;
	qsort(slots->slot, slots->nr, sizeof(*slots->slot), compare_slots);
	while (!err && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) && is_plt(elf, strndx, &shdr))
			err = read_stubs(scn, &shdr, slots, fn, arg);
	return err;
}

int uc_plt_each(Elf *elf, uc_plt_fn fn, void *arg)
{
	struct slots slots = { 0 };
	GElf_Ehdr ehdr;
	size_t strndx;
	int err;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    elf_getshdrstrndx(elf, &strndx))
		return 0;
	err = read_sections(elf, strndx, &slots, fn, arg);
	free(slots.slot);
	return err;
}
