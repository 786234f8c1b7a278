/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The deferred engine. A source's program asks for the user stack of the
 * current thread and gets a cookie; the walk runs as task work just before
 * the thread returns to user space, where page faults are allowed. One walk
 * serves every request of a kernel entry.
 */
#include "maps.bpf.h"
#include "arch/i386.h"
#include "arch/x86_64.h"
#include "uc_core.h"
#include "uc_walk.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/* One object for the verifier and for libbpf: the core is compiled into it. */
#include "uc_port.bpf.c"

#include "../core/uc_abi.c"
#include "../core/uc_read.c"
#include "../core/uc_elf.c"
#include "../core/uc_search.c"
#include "../core/uc_ehframe.c"
#include "../core/uc_sframe.c"
#include "../core/uc_cfa.c"
#include "../core/uc_expr.c"
#include "../core/uc_step.c"
#include "../core/arch/x86_64_insn.c"
#include "../core/uc_follow.c"
#include "../core/uc_bare.c"
#include "../core/uc_walk.c"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Selectors of user code: __USER_CS and __USER32_CS (arch/x86/include/asm/segment.h). */
#define USER_CS_64 0x33
#define USER_CS_32 0x23

/* Of a 32-bit task the kernel saves the same struct; its registers' upper
 * halves are zero. */
static inline void uc_regs_from_32(struct uc_regs *to, const struct pt_regs *regs)
{
	to->r[UC_EAX] = (u32)regs->ax;
	to->r[UC_ECX] = (u32)regs->cx;
	to->r[UC_EDX] = (u32)regs->dx;
	to->r[UC_EBX] = (u32)regs->bx;
	to->r[UC_ESP] = (u32)regs->sp;
	to->r[UC_EBP] = (u32)regs->bp;
	to->r[UC_ESI] = (u32)regs->si;
	to->r[UC_EDI] = (u32)regs->di;
	to->pc = (u32)regs->ip;
	to->known = UC_I386_REGS;
}

static inline void uc_regs_from_64(struct uc_regs *to, const struct pt_regs *regs)
{
	to->r[0] = regs->ax;
	to->r[1] = regs->dx;
	to->r[2] = regs->cx;
	to->r[3] = regs->bx;
	to->r[4] = regs->si;
	to->r[5] = regs->di;
	to->r[6] = regs->bp;
	to->r[7] = regs->sp;
	to->r[8] = regs->r8;
	to->r[9] = regs->r9;
	to->r[10] = regs->r10;
	to->r[11] = regs->r11;
	to->r[12] = regs->r12;
	to->r[13] = regs->r13;
	to->r[14] = regs->r14;
	to->r[15] = regs->r15;
	to->pc = regs->ip;
	to->known = UC_X86_64_REGS;
}

/* The thread's registers and ABI. Not 0 if it runs another kind of code. */
static inline int uc_walk_registers(struct uc_walk *w, const struct pt_regs *regs)
{
	if (regs->cs == USER_CS_64) {
		uc_regs_from_64(&w->regs, regs);
		return uc_abi_set(w, UC_ABI_X86_64);
	}
	uc_regs_from_32(&w->regs, regs);
	uc_abi_set(w, UC_ABI_I386);
	return regs->cs != USER_CS_32;
}

/* Send the frames gathered so far. */
static inline void uc_out_flush(struct uc_task_walk *t, u32 flags)
{
	u64 nr = t->out.nr;

	asm volatile("" : "+r"(nr));
	if (nr > UC_CHUNK_FRAMES)
		return;
	t->out.type = UC_EVENT_STACK;
	t->out.flags = flags;
	if (uc_ring_put(&t->out, offsetof(struct uc_event_stack, frame) + nr * 8))
		t->lost = 1;
	t->out.first += t->out.nr;
	t->out.nr = 0;
}

static inline void uc_out_frame(struct uc_task_walk *t, u64 pc)
{
	t->out.frame[t->out.nr & (UC_CHUNK_FRAMES - 1)] = pc;
	t->out.nr++;
	t->depth++;
	if (t->out.nr >= UC_CHUNK_FRAMES)
		uc_out_flush(t, 0);
}

/* Bring the missing page in. Not 0 if it can not be had. */
static inline int uc_touch(struct uc_task_walk *t)
{
	u64 len = t->walk.fault_len;

	asm volatile("" : "+r"(len));
	if (len > sizeof(t->touch))
		return -1;
	return (int)bpf_copy_from_user(t->touch, (u32)len, (const void *)t->walk.fault_addr);
}

/* The walk's end: its last event, and an end for every request that it served. */
static inline void uc_walk_end(struct uc_task_walk *t, int stop, u32 end)
{
	t->out.stop = (u16)stop;
	t->out.flaw = (u16)t->walk.flaw;
	t->out.stop_addr = t->walk.stop_addr;
	uc_out_flush(t, UC_STACK_LAST);
	uc_count_add(t->lost && end == UC_END_DELIVERED ? UC_END_RING_FULL : end, t->asked);
	t->state = UC_WALK_IDLE;
}

static inline void uc_out_begin(struct uc_task_walk *t, struct task_struct *task)
{
	t->out.cookie = t->cookie;
	t->out.time_ns = bpf_ktime_get_ns();
	t->out.pid = (u32)task->tgid;
	t->out.tid = (u32)task->pid;
	t->out.cpu = bpf_get_smp_processor_id();
	t->out.first = 0;
	t->out.nr = 0;
	t->depth = 0;
	t->faults = 0;
	t->lost = 0;
	t->walk.flaw = 0;
	t->walk.stop_addr = 0;
}

static inline void uc_count_walk(struct uc_task_walk *t)
{
	struct uc_counters *c = uc_counters_here();

	if (!c)
		return;
	__sync_fetch_and_add(&c->n[UC_COUNT_WALKS], 1);
	__sync_fetch_and_add(&c->n[UC_COUNT_FRAMES], t->depth);
	__sync_fetch_and_add(&c->n[UC_COUNT_FAULTS], t->faults);
	__sync_fetch_and_add(&c->n[UC_COUNT_ROW_HITS], t->walk.steps_from_cache);
	__sync_fetch_and_add(&c->n[UC_COUNT_ROW_MISSES], t->walk.steps_interpreted);
}

/*
 * Walk and send. In the sleepable callback (early_end is DELIVERED) a missing
 * page is brought in. A walk done early does without; if it needs the page, its
 * requests came too late, and end with early_end.
 */
static inline void uc_walk_and_send(struct uc_task_walk *t, const u32 early_end)
{
	struct uc_walk *w = &t->walk;
	u32 i;
	int rc;

	rc = uc_walk_begin(w);
	uc_out_frame(t, w->regs.pc);
	UC_FOR(i, UC_FRAMES_MAX + UC_FAULTS_MAX)
	{
		if (t->depth >= uc_options.max_frames) {
			rc = UNCOIL_STOP_DEPTH_LIMIT;
			break;
		}
		rc = uc_walk_step(w);
		if (rc == UC_FAULT) {
			t->faults++;
			if (early_end == UC_END_DELIVERED && t->faults < UC_FAULTS_MAX && !uc_touch(t))
				continue;
			rc = uc_walk_page_is_bad(w);
			if (!rc)
				continue;
		}
		if (rc)
			break;
		uc_out_frame(t, w->regs.pc);
	}
	uc_count_walk(t);
	if (early_end != UC_END_DELIVERED && rc == UNCOIL_STOP_MEMORY_FAULT && t->faults) {
		t->out.nr = 0;
		w->stop_addr = 0;
		uc_walk_end(t, UNCOIL_STOP_TASK_GONE, early_end);
	} else {
		uc_walk_end(t, rc, UC_END_DELIVERED);
	}
}

/* Registers and checks before a walk. Returns 0, or the stop. */
static inline int uc_walk_prepare(struct uc_task_walk *t, struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	t->walk.port.mm_seq = uc_mm_seq();
	t->walk.entry_sp = task->mm->start_stack;
	if (!uc_walk_registers(&t->walk, regs)) {
		t->walk.unwind = uc_options.unwind;
		return 0;
	}
	uc_out_frame(t, regs->ip);
	t->walk.flaw = UNCOIL_FLAW_ABI;
	return UNCOIL_STOP_UNSUPPORTED;
}

/* The walk is of a program that is no more: there is nothing to show. */
static inline int uc_walk_is_stale(struct uc_task_walk *t, struct task_struct *task)
{
	u64 mm = (u64)task->mm;

	if (mm == t->walk.port.mm)
		return 0;
	uc_walk_end(t, UNCOIL_STOP_TASK_GONE, mm ? UC_END_EXECED : UC_END_EXITED);
	return 1;
}

static int uc_red_line(struct bpf_map *map, void *key, void *value)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uc_task_walk *t = value;
	u64 start = 0;
	int stop;

	t->scheduled = 0;
	if (t->state != UC_WALK_PENDING) /* done early */
		return 0;
	if (uc_options.measure)
		start = bpf_ktime_get_ns();
	t->state = UC_WALK_RUNNING;
	uc_out_begin(t, task);
	if (uc_walk_is_stale(t, task))
		return 0;
	stop = uc_walk_prepare(t, task);
	if (stop)
		uc_walk_end(t, stop, UC_END_DELIVERED);
	else
		uc_walk_and_send(t, UC_END_DELIVERED);
	if (uc_options.measure)
		uc_count_add(UC_COUNT_WALK_NS, bpf_ktime_get_ns() - start);
	return 0;
}

/*
 * A cookie: the CPU in the low 16 bits, above it the CPU's own count, which
 * starts at 1. No CPU gets into another's range, and no cookie is 0.
 */
static inline u64 uc_cookie_new(struct uc_request_state *r)
{
	r->last_cookie++;
	return r->last_cookie << 16 | (bpf_get_smp_processor_id() & 0xffff);
}

static inline struct uc_task_walk *uc_task_walk_get(u32 tid, u32 slot)
{
	struct uc_walk_key key = { tid, slot };
	struct uc_task_walk *t = bpf_map_lookup_elem(&walks, &key);
	struct uc_blank *fresh;
	u32 zero = 0;

	if (t)
		return t;
	fresh = bpf_map_lookup_elem(&blank, &zero);
	if (!fresh || bpf_map_update_elem(&walks, &key, fresh, BPF_NOEXIST))
		return 0;
	return bpf_map_lookup_elem(&walks, &key);
}

static inline int uc_defer(struct task_struct *task, struct uc_task_walk *t)
{
	if (bpf_task_work_schedule_resume)
		return bpf_task_work_schedule_resume(task, &t->work, &walks, uc_red_line);
	return bpf_task_work_schedule_resume_impl(task, &t->work, &walks, uc_red_line, 0);
}

/* Make an idle walk a pending one. */
static inline int uc_walk_ask(struct task_struct *task, struct uc_task_walk *t,
			      struct uc_request_state *r)
{
	t->state = UC_WALK_PENDING;
	t->cookie = uc_cookie_new(r);
	t->asked = 0;
	t->walk.port.mm = (u64)task->mm;
	if (t->scheduled) /* for a walk that was done early; it comes anyway */
		return 0;
	if (uc_defer(task, t)) {
		t->state = UC_WALK_IDLE;
		return -1;
	}
	t->scheduled = 1;
	return 0;
}

/*
 * Ask for the user stack of the current thread. Returns the thread's walk,
 * which has the cookie, or 0 with the end of the request in ret_end.
 */
static inline struct uc_task_walk *uc_request(struct task_struct *task, struct uc_request_state *r,
					      u32 *ret_end)
{
	struct uc_task_walk *t = 0;
	u32 slot;

	*ret_end = UC_END_NO_USER;
	if (!task->mm || (task->flags & (PF_KTHREAD | PF_USER_WORKER)))
		return 0;
	*ret_end = UC_END_EXITED;
	if (task->flags & PF_EXITING)
		return 0;
	for (slot = 0; slot < UC_WALK_SLOTS; slot++) {
		t = uc_task_walk_get((u32)task->pid, slot);
		if (!t) {
			*ret_end = UC_END_NO_MEMORY;
			return 0;
		}
		if (t->state == UC_WALK_PENDING) {
			uc_count_add(UC_COUNT_JOINED, 1);
			return t;
		}
		*ret_end = UC_END_BUSY;
		if (t->state == UC_WALK_RUNNING)
			continue;
		if (!uc_walk_ask(task, t, r))
			return t;
		/* So it is between our callback's end and the kernel's. */
		*ret_end = UC_END_SCHEDULE;
	}
	return 0;
}

static inline void uc_request_describe(struct uc_event_request *out, struct task_struct *task,
				       struct bpf_perf_event_data *ctx)
{
	long kernel = 0;

	out->type = UC_EVENT_REQUEST;
	out->flags = 0;
	out->cookie = 0;
	out->time_ns = bpf_ktime_get_ns();
	out->ip = ctx->ip;
	out->period = ctx->sample_period;
	out->pid = (u32)task->tgid;
	out->tid = (u32)task->pid;
	out->cpu = bpf_get_smp_processor_id();
	if (!(ctx->cs & 3)) { /* the privilege level: 0 is the kernel */
		out->flags |= UC_REQUEST_IN_KERNEL;
		kernel = bpf_get_stack(ctx, out->kernel, sizeof(out->kernel), 0);
	}
	out->nr_kernel = kernel > 0 ? (u32)(kernel / 8) : 0;
}

SEC("perf_event")
int uc_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uc_request_state *r;
	struct uc_task_walk *t;
	u32 zero = 0, end;
	u64 start = 0, nr;

	r = bpf_map_lookup_elem(&requests, &zero);
	if (!r)
		return 0;
	if (uc_options.measure)
		start = bpf_ktime_get_ns();
	uc_count_add(UC_COUNT_REQUESTS, 1);
	uc_request_describe(&r->out, task, ctx);
	t = uc_request(task, r, &end);
	if (t)
		r->out.cookie = t->cookie;
	else
		r->out.flags |= UC_REQUEST_NO_USER;
	nr = r->out.nr_kernel;
	asm volatile("" : "+r"(nr));
	if (nr > UC_KERNEL_FRAMES)
		nr = UC_KERNEL_FRAMES;
	if (uc_ring_put(&r->out, offsetof(struct uc_event_request, kernel) + nr * 8))
		uc_count_add(UC_END_REQUEST_RING_FULL, 1);
	else if (t)
		t->asked++; /* its end comes with the walk's */
	else
		uc_count_add(end, 1);
	if (uc_options.measure)
		uc_count_add(UC_COUNT_REQUEST_NS, bpf_ktime_get_ns() - start);
	return 0;
}

/*
 * Do a pending walk now, with what is present: its chance is about to go. In
 * process context only: with interrupts off the kernel lets BPF look up one
 * mapping, and then no more until they are on again.
 */
static inline void uc_walk_early(struct task_struct *task, u32 slot, const u32 end)
{
	struct uc_walk_key key = { (u32)task->pid, slot };
	struct uc_task_walk *t = bpf_map_lookup_elem(&walks, &key);
	int stop;

	if (!t || t->state != UC_WALK_PENDING)
		return;
	t->state = UC_WALK_RUNNING;
	uc_out_begin(t, task);
	if (uc_walk_is_stale(t, task))
		return;
	stop = uc_walk_prepare(t, task);
	if (stop)
		uc_walk_end(t, stop, UC_END_DELIVERED);
	else
		uc_walk_and_send(t, end);
}

static inline void uc_walks_early(struct task_struct *task, const u32 end)
{
	uc_walk_early(task, 0, end);
	uc_walk_early(task, 1, end);
}

/* A thread exits: its task work would run after its memory is gone. (Since
 * Linux 6.16 this is before exit_mm().) */
SEC("tp_btf/sched_process_exit")
int uc_exit(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct uc_walk_key key = { (u32)task->pid, 0 };

	uc_walks_early(task, UC_END_EXITED);
	bpf_map_delete_elem(&walks, &key);
	key.slot = 1;
	bpf_map_delete_elem(&walks, &key);
	return 0;
}

/* A program is about to be replaced; its task work would find the new one. */
SEC("tp_btf/sched_prepare_exec")
int uc_exec(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();

	uc_walks_early(task, UC_END_EXECED);
	return 0;
}
