/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine's walk in a loop, on the user stack of the process that runs the
 * program (BPF_PROG_RUN), and a frame-pointer walk of the same stack.
 */
#include "../bpf/uncoil.bpf.c"

#include "bench.h"

/* All that changes in a loop is here: see struct uc_task_walk. */
struct bench_state {
	u32 times, cap;
	u32 nr, faults;
	int stop;
	u32 pad;
	u64 record[2]; /* saved frame pointer, return address */
	u8 touch[UC_STACK_WINDOW];
	struct uc_walk walk;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct bench_state);
} bench_states SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct bench_frames);
} bench_frames SEC(".maps");

static inline void bench_frame(struct bench_state *s, struct bench_frames *f, u64 pc)
{
	f->pc[s->nr & (BENCH_FRAMES - 1)] = pc;
	s->nr++;
}

/* Not 0 if the missing page can not be had. */
static inline int bench_touch(struct bench_state *s)
{
	u64 len = s->walk.fault_len;

	s->faults++;
	asm volatile("" : "+r"(len));
	if (len > sizeof(s->touch))
		return -1;
	return (int)bpf_copy_from_user(s->touch, (u32)len, (const void *)s->walk.fault_addr);
}

static inline void bench_cfi_begin(struct bench_state *s, struct task_struct *task)
{
	struct uc_walk *w = &s->walk;

	uc_walk_registers(w, (struct pt_regs *)bpf_task_pt_regs(task));
	w->port.mm = (u64)task->mm;
	w->port.mm_seq = uc_mm_seq();
	w->entry_sp = task->mm->start_stack;
	uc_walk_begin(w);
	s->nr = 0;
	s->faults = 0;
}

static inline void bench_cfi(struct bench_state *s, struct bench_frames *f)
{
	struct uc_walk *w = &s->walk;
	u32 i;

	bench_frame(s, f, w->regs.pc);
	UC_FOR(i, BENCH_FRAMES + UC_FAULTS_MAX)
	{
		s->stop = UNCOIL_STOP_DEPTH_LIMIT;
		if (s->nr >= s->cap)
			break;
		s->stop = uc_walk_step(w);
		if (s->stop == UC_FAULT) {
			if (!bench_touch(s))
				continue;
			s->stop = uc_walk_page_is_bad(w);
			if (!s->stop)
				continue;
		}
		if (s->stop)
			break;
		bench_frame(s, f, w->regs.pc);
	}
}

SEC("syscall")
int bench_walk(struct bench_args *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0, i;
	struct bench_state *s = bpf_map_lookup_elem(&bench_states, &zero);
	struct bench_frames *f = bpf_map_lookup_elem(&bench_frames, &zero);
	u64 start;

	if (!s || !f)
		return 1;
	s->times = args->times;
	s->cap = args->cap_frames;
	start = bpf_ktime_get_ns();
	UC_FOR(i, 1 << 20)
	{
		if (i >= s->times)
			break;
		bench_cfi_begin(s, task);
		bench_cfi(s, f);
	}
	args->ns = bpf_ktime_get_ns() - start;
	args->nr = s->nr;
	args->stop = (u32)s->stop;
	args->faults = s->faults;
	args->interpreted = s->walk.steps_interpreted;
	return 0;
}

/* As kernels walk frame pointers: one read a frame, and the pointer must rise. */
static inline void bench_fp(struct bench_state *s, struct bench_frames *f, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	u32 i;

	s->nr = 0;
	s->record[0] = regs->bp;
	bench_frame(s, f, regs->ip);
	UC_FOR(i, BENCH_FRAMES)
	{
		u64 fp = s->record[0];

		if (s->nr >= s->cap)
			break;
		if (bpf_probe_read_user(s->record, sizeof(s->record), (const void *)fp))
			break;
		bench_frame(s, f, s->record[1]);
		if (s->record[0] <= fp)
			break;
	}
}

SEC("syscall")
int bench_fp_walk(struct bench_args *args)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0, i;
	struct bench_state *s = bpf_map_lookup_elem(&bench_states, &zero);
	struct bench_frames *f = bpf_map_lookup_elem(&bench_frames, &zero);
	u64 start;

	if (!s || !f)
		return 1;
	s->times = args->times;
	s->cap = args->cap_frames;
	start = bpf_ktime_get_ns();
	UC_FOR(i, 1 << 20)
	{
		if (i >= s->times)
			break;
		bench_fp(s, f, task);
	}
	args->ns = bpf_ktime_get_ns() - start;
	args->nr = s->nr;
	args->stop = 0;
	args->faults = 0;
	args->interpreted = 0;
	return 0;
}
