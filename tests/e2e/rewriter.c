/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two processes spin in the same place, below libc's qsort. The child has
 * turned all unwind instructions of its copy of libc into no-operations, which
 * makes each rule "CFA is rsp+8": well-formed, and wrong. The parent comes to
 * rest later, when a line arrives on its input, so that an engine meets the
 * child's data first.
 */
#define _GNU_SOURCE
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int compare(const void *a, const void *b)
{
	for (;;)
		__asm__ volatile("pause");
	return a < b;
}

__attribute__((noinline, noipa)) static void rest(void)
{
	char v[2] = { 1, 2 };

	qsort(v, 2, 1, compare);
}

struct range {
	uintptr_t start, size;
	const uint8_t *hdr;
};

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *r = arg;

	(void)size;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_EH_FRAME) {
			r->hdr = (const uint8_t *)(info->dlpi_addr + p->p_vaddr);
			break;
		}
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && r->hdr && (uintptr_t)r->hdr - at < p->p_memsz) {
			r->start = at & -4096ul;
			r->size = (at + p->p_memsz - r->start + 4095) & -4096ul;
		}
	}
	return 1;
}

static uint32_t load(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* The FDEs of glibc have pcrel|sdata4 pointers: 8 bytes, and empty augmentation data or an LSDA's. */
static int rewrite(void)
{
	struct range r = { 0 };
	int changed = 0;

	dl_iterate_phdr(find_libc, &r);
	if (!r.size || mprotect((void *)r.start, r.size, PROT_READ | PROT_WRITE))
		return 0;
	for (uint8_t *p = (uint8_t *)r.hdr + 4 + (int32_t)load(r.hdr + 4); load(p);) {
		uint8_t *end = p + 4 + load(p);

		if (load(p + 4)) {
			uint8_t *instructions = p + 16 + 1 + p[16];

			memset(instructions, 0, (size_t)(end - instructions));
			changed++;
		}
		p = end;
	}
	mprotect((void *)r.start, r.size, PROT_READ);
	return changed;
}

int main(void)
{
	int changed, fd[2];
	pid_t child;
	char c;

	alarm(60);
	if (pipe(fd))
		return 1;
	child = fork();
	if (!child) {
		alarm(60);
		changed = rewrite();
		if (write(fd[1], &changed, sizeof(changed)) == sizeof(changed))
			rest();
		_exit(1);
	}
	if (child < 0 || read(fd[0], &changed, sizeof(changed)) != sizeof(changed) || changed < 1000)
		return 1;
	printf("READY\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 1;
	rest();
	return 0;
}
