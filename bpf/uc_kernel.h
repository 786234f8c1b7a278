/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's structs as far as the engine touches them. Offsets are fixed
 * up at load time by the running kernel's BTF (CO-RE), so only names and
 * types matter here.
 */
#ifndef UC_KERNEL_H
#define UC_KERNEL_H

/* Newer headers define these structs, older ones do not: the names are ours
 * below, whatever the header has. */
#define bpf_task_work uapi_bpf_task_work
#define bpf_iter_num uapi_bpf_iter_num
#define bpf_perf_event_data uapi_bpf_perf_event_data
#include <linux/bpf.h>
#undef bpf_task_work
#undef bpf_iter_num
#undef bpf_perf_event_data
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

/* arch/x86/include/asm/ptrace.h, 6.9 and later; before, the fields that we
 * read had the same names. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip;
	unsigned long cs, flags, sp;
};

struct super_block {
	__u32 s_dev;
};

struct address_space {
	atomic_t i_mmap_writable;
};

struct inode {
	struct super_block *i_sb;
	struct address_space *i_mapping;
	unsigned long i_ino;
	long long i_size;
	long long i_mtime_sec, i_ctime_sec;
	__u32 i_mtime_nsec, i_ctime_nsec;
	__u32 i_generation;
};

struct file {
	struct inode *f_inode;
};

struct anon_vma;
struct vdso_image;

/* With a body: libbpf tells a declared struct from a defined one. */
struct bpf_map {
	unsigned int id;
};

typedef struct {
	void *vdso;
	const struct vdso_image *vdso_image;
} mm_context_t;

typedef struct {
	unsigned int sequence;
} seqcount_t;

struct mm_struct {
	mm_context_t context;
	seqcount_t mm_lock_seq;
	unsigned long start_stack;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	struct mm_struct *vm_mm;
	const unsigned long vm_flags;
	struct anon_vma *anon_vma;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

struct task_struct {
	unsigned int flags;
	int pid, tgid;
	struct mm_struct *mm;
};

#pragma clang attribute pop

/* include/linux/sched.h, include/linux/mm.h */
#define PF_EXITING 0x00000004
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000
#define VM_EXEC 0x00000004ul

/*
 * Context of a perf_event program (include/uapi/linux/bpf_perf_event.h). The
 * verifier maps its offsets itself, so this one is as the user ABI has it.
 */
struct bpf_perf_event_data {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	__u64 orig_ax, ip, cs, flags, sp, ss;
	__u64 sample_period;
	__u64 addr;
};

/* Known to the verifier by name; include/uapi/linux/bpf.h. */
struct bpf_task_work {
	__u64 opaque;
} __attribute__((aligned(8)));

struct bpf_iter_num {
	__u64 opaque[1];
} __attribute__((aligned(8)));

struct bpf_iter_task_vma {
	__u64 opaque[1];
} __attribute__((aligned(8)));

/* kfuncs: Linux 6.4, 6.7, 6.18. Kernels after 6.18 drop "_impl" and the last
 * argument of the task work functions. */
extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end)
	__attribute__((weak, section(".ksyms")));
extern int *bpf_iter_num_next(struct bpf_iter_num *it) __attribute__((weak, section(".ksyms")));
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) __attribute__((weak, section(".ksyms")));
extern int bpf_iter_task_vma_new(struct bpf_iter_task_vma *it, struct task_struct *task, __u64 addr)
	__attribute__((weak, section(".ksyms")));
extern struct vm_area_struct *bpf_iter_task_vma_next(struct bpf_iter_task_vma *it)
	__attribute__((weak, section(".ksyms")));
extern void bpf_iter_task_vma_destroy(struct bpf_iter_task_vma *it)
	__attribute__((weak, section(".ksyms")));

typedef int uc_task_work_fn(struct bpf_map *map, void *key, void *value);

extern int bpf_task_work_schedule_resume_impl(struct task_struct *task, struct bpf_task_work *tw,
					      void *map, uc_task_work_fn *callback, void *aux)
	__attribute__((weak, section(".ksyms")));
extern int bpf_task_work_schedule_resume(struct task_struct *task, struct bpf_task_work *tw,
					 void *map, uc_task_work_fn *callback)
	__attribute__((weak, section(".ksyms")));

#endif
