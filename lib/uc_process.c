/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE
#include "uc_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/sysmacros.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/i386.h"
#include "arch/x86_64.h"
#include "uc_debugfiles.h"
#include "uc_procmaps.h"
#include "uc_unwind.h"
#include "uc_vmas.h"
#include "uc_walk.h"

/* Pages read lately, by address: a walk comes back to the same few. */
#define PAGE_SLOTS 64

struct page {
	u64 addr; /* 0: empty; no process has page 0 in use here */
	u8 bytes[UC_PAGE];
};

struct uc_process {
	pid_t pid;
	int mem_fd;
	struct uc_vmas maps;
	struct uc_debugfiles *debug;
	struct uc_memory memory;
	struct page page[PAGE_SLOTS];
};

static const u8 *process_page(struct uc_process *p, u64 addr)
{
	struct page *page = &p->page[(addr / UC_PAGE) % PAGE_SLOTS];

	if (page->addr == addr && addr)
		return page->bytes;
	page->addr = 0;
	if (pread(p->mem_fd, page->bytes, UC_PAGE, (off_t)addr) != (ssize_t)UC_PAGE)
		return NULL;
	page->addr = addr;
	return page->bytes;
}

static int process_read(void *arg, u64 addr, void *dst, u32 len)
{
	struct uc_process *p = arg;
	u8 *to = dst;

	if (addr >= UC_DEBUGFILES_BASE)
		return uc_debugfiles_read(p->debug, addr, dst, len);
	while (len) {
		u64 at = addr & (UC_PAGE - 1);
		u32 n = UC_PAGE - at < len ? (u32)(UC_PAGE - at) : len;
		const u8 *bytes = addr > UC_USER_MAX ? NULL : process_page(p, addr - at);

		if (!bytes)
			return -EFAULT;
		memcpy(to, bytes + at, n);
		to += n;
		addr += n;
		len -= n;
	}
	return 0;
}

static int process_map(void *arg, u64 addr, struct uc_map *ret)
{
	struct uc_process *p = arg;

	return uc_vmas_find(&p->maps, addr, ret) ? 0 : -ENOENT;
}

static int process_elf(void *arg, const struct uc_map *of, struct uc_map *ret)
{
	struct uc_process *p = arg;

	return uc_vmas_find_start(&p->maps, of, ret) ? 0 : -ENOENT;
}

struct path_at {
	u64 start;
	char *path;
	size_t size;
};

static int take_path(const struct uc_proc_map *map, void *arg)
{
	struct path_at *at = arg;

	if (map->start != at->start || map->path[0] != '/')
		return 0;
	return (size_t)snprintf(at->path, at->size, "%s", map->path) < at->size ? 1 : 0;
}

static int process_debug_fde(void *arg, const struct uc_map *of, u64 vaddr,
			     struct uc_debug_fde *ret)
{
	struct uc_process *p = arg;
	char path[PATH_MAX], root[64];
	struct path_at at = { of->start, path, sizeof(path) };

	/* the path of a file that is gone leads to another, or to none */
	if (!(of->flags & UC_MAP_FILE) || uc_proc_maps_each(p->pid, take_path, &at) != 1 ||
	    strstr(path, " (deleted)"))
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%d/root", p->pid);
	return uc_debugfiles_find(p->debug, of, path, root, vaddr, ret);
}

int uc_process_new(pid_t pid, struct uc_process **ret)
{
	struct uc_process *p = calloc(1, sizeof(*p));
	char path[64];
	int rc;

	if (!p)
		return -ENOMEM;
	p->pid = pid;
	p->memory = (struct uc_memory){ .read = process_read, .map = process_map, .elf = process_elf,
				       .debug_fde = process_debug_fde, .arg = p };
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	p->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	rc = p->mem_fd < 0 ? -errno : uc_vmas_read(&p->maps, pid);
	p->debug = uc_debugfiles_new();
	if (!rc && !p->debug)
		rc = -ENOMEM;
	if (rc) {
		uc_process_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

void uc_process_free(struct uc_process *p)
{
	if (!p)
		return;
	if (p->mem_fd >= 0)
		close(p->mem_fd);
	uc_vmas_fini(&p->maps);
	uc_debugfiles_free(p->debug);
	free(p);
}

/* Field 28 of /proc/PID/stat, counted from behind the name, which may hold
 * anything (proc_pid_stat(5)). */
u64 uc_process_entry_sp(const struct uc_process *p)
{
	char path[64], text[2048], *at;
	FILE *f;
	size_t n;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", p->pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	at = strrchr(text, ')');
	for (field = 2; at && field < 28; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

const struct uc_memory *uc_process_memory(const struct uc_process *p)
{
	return &p->memory;
}

int uc_thread_attach(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return -errno;
	if (waitpid(tid, &status, __WALL) != tid)
		return -errno;
	return WIFSTOPPED(status) ? 0 : -ESRCH;
}

void uc_thread_detach(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

/* PTRACE_GETREGS of a 32-bit tracee gives the 64-bit struct, too. */
static void regs_from_32(const struct user_regs_struct *u, struct uc_regs *ret)
{
	ret->r[UC_EAX] = (u32)u->rax;
	ret->r[UC_ECX] = (u32)u->rcx;
	ret->r[UC_EDX] = (u32)u->rdx;
	ret->r[UC_EBX] = (u32)u->rbx;
	ret->r[UC_ESP] = (u32)u->rsp;
	ret->r[UC_EBP] = (u32)u->rbp;
	ret->r[UC_ESI] = (u32)u->rsi;
	ret->r[UC_EDI] = (u32)u->rdi;
	ret->pc = (u32)u->rip;
	ret->known = UC_I386_REGS;
}

static void regs_from_64(const struct user_regs_struct *u, struct uc_regs *ret)
{
	ret->r[0] = u->rax;
	ret->r[1] = u->rdx;
	ret->r[2] = u->rcx;
	ret->r[3] = u->rbx;
	ret->r[4] = u->rsi;
	ret->r[5] = u->rdi;
	ret->r[6] = u->rbp;
	ret->r[7] = u->rsp;
	ret->r[8] = u->r8;
	ret->r[9] = u->r9;
	ret->r[10] = u->r10;
	ret->r[11] = u->r11;
	ret->r[12] = u->r12;
	ret->r[13] = u->r13;
	ret->r[14] = u->r14;
	ret->r[15] = u->r15;
	ret->pc = u->rip;
	ret->known = UC_X86_64_REGS;
}

int uc_thread_regs(pid_t tid, struct uc_walk *w)
{
	struct user_regs_struct u;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &u))
		return -errno;
	memset(&w->regs, 0, sizeof(w->regs));
	/* __USER_CS and __USER32_CS, arch/x86/include/asm/segment.h */
	if (u.cs == 0x33) {
		uc_abi_set(w, UC_ABI_X86_64);
		regs_from_64(&u, &w->regs);
	} else if (u.cs == 0x23) {
		uc_abi_set(w, UC_ABI_I386);
		regs_from_32(&u, &w->regs);
	} else {
		return -ENOTSUP;
	}
	w->unwind = uc_unwind_default();
	return 0;
}

int uc_walk_run(struct uc_walk *w, u64 *frame, u32 max, u32 *ret_nr)
{
	u32 n = 0;
	int rc = uc_walk_begin(w);

	while (!rc) {
		if (n == max) {
			rc = UNCOIL_STOP_DEPTH_LIMIT;
			break;
		}
		frame[n++] = w->regs.pc;
		rc = uc_walk_step(w);
		/* Nothing can be brought in from here: what is missing stays so. */
		while (rc == UC_FAULT) {
			rc = uc_walk_page_is_bad(w);
			if (!rc)
				rc = uc_walk_step(w);
		}
	}
	*ret_nr = n;
	return rc;
}
