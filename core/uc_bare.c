/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code without unwind data: what its bytes say, here on x86-64 and i386; others'
 * are in core/arch/. Everything here is recognised, nothing is guessed; where
 * no pattern fits, the walk stops.
 *
 *  - the program's or ld.so's entry point: the stack pointer is still the one
 *    that the process started with, so no caller can lie above
 *  - the signal trampoline (musl and others have no FDE for it)
 *  - a pc that no code is mapped at: a call through a bad pointer, which has
 *    just pushed its return address
 *  - i386's functions that tell their caller where it is
 *  - PLT entries as lld and mold write them, without FDE
 *  - code that can be followed to its return (uc_follow.c)
 *  - a function that set up its frame pointer before the pc
 */
#include "uc_bare.h"

#include "arch/i386.h"
#include "arch/x86_64.h"

/* A row with a return address that a call has pushed. */
static inline void uc_bare_begin(struct uc_walk *w, u32 cfa_reg, s64 cfa_off)
{
	u32 ra = w->abi.ra & UC_REG_MASK;

	uc_bare_clear(w);
	w->row.cfa_reg = (u8)cfa_reg;
	w->row.cfa_off = cfa_off;
	w->row.kind[ra] = UC_RULE_OFFSET;
	w->row.val[ra] = -(s32)w->abi.ra_slot;
}

static inline int uc_bytes(const u8 *p, u32 a, u32 b)
{
	return p[0] == a && p[1] == b;
}

/*
 * Does a call instruction end at addr? Direct (e8 rel32) or indirect (ff /2)
 * with its possible lengths. Also says no if addr is in no code.
 */
static inline int uc_bare_after_call(struct uc_walk *w, u64 addr)
{
	const u8 *p = w->scratch;
	u32 n, yes;

	if (addr < 8 || uc_port_map(w, addr - 1) || !(w->found.flags & UC_MAP_EXEC))
		return 0;
	if (addr - 7 < w->found.start)
		return 0;
	n = (u32)uc_bare_code(w, addr - 7, 7);
	if (n)
		return (int)n == UC_FAULT ? UC_FAULT : 0;
	/* ff /2: modrm's middle bits are 2; register or memory operand, by length */
	yes = p[2] == 0xe8;
	yes |= p[5] == 0xff && ((p[6] & 0xf8) == 0xd0 ||
				((p[6] & 0xf8) == 0x10 && (p[6] & 7) != 4 && (p[6] & 7) != 5));
	yes |= p[4] == 0xff && (p[5] & 0xf8) == 0x50 && p[5] != 0x54; /* disp8 */
	yes |= p[4] == 0xff && p[5] == 0x14; /* SIB */
	yes |= p[3] == 0xff && p[4] == 0x54; /* SIB, disp8 */
	yes |= p[1] == 0xff && ((p[2] & 0xf8) == 0x90 || p[2] == 0x15) && p[2] != 0x94; /* disp32 */
	yes |= p[0] == 0xff && (p[1] == 0x94 || p[1] == 0x14); /* SIB, disp32 */
	return yes ? 1 : 0;
}

/* Little-endian bytes of code in w->scratch. */
static inline u64 uc_code_u64(struct uc_walk *w, u32 at)
{
	u64 v;

	memcpy(&v, &w->scratch[at & 31], 8);
	return uc_word(w, v, 8);
}

/* mov $15,%rax; syscall, or x32's mov $0x40000201,%rax in w->scratch. 1, 2, or 0 if
 * neither. */
static inline u32 uc_x86_64_sigreturn(struct uc_walk *w)
{
	u64 mov = uc_code_u64(w, 0);

	if (w->scratch[8] != 0x05)
		return 0;
	return mov == 0x0f0000000fc0c748 ? 1 : mov == 0x0f40000201c0c748 ? 2 : 0;
}

/* The word that a call has pushed, or what the kernel puts there for a signal
 * handler: the trampoline's address. */
UC_FN int uc_bare_ra_at(UC_WALK, u64 addr)
{
	int rc = uc_stack_word(w, addr, &w->value);

	if (rc)
		return rc == UC_FAULT ? rc : 0;
	rc = uc_bare_after_call(w, w->value);
	if (rc || w->abi.id == UC_ABI_I386)
		return rc;
	if (uc_port_map(w, w->value) || !(w->found.flags & UC_MAP_EXEC))
		return 0;
	rc = uc_bare_code(w, w->value, 9);
	if (rc)
		return rc == UC_FAULT ? rc : 0;
	return uc_x86_64_sigreturn(w) != 0;
}

/* mov $15,%rax; syscall, and x32's mov $0x40000201,%rax (formats sheet 4.7): the
 * interrupted registers lie in the signal frame above. */
static inline int uc_x86_64_signal(struct uc_walk *w)
{
	/* sigcontext order: r8-r15 rdi rsi rbp rbx rdx rax rcx rsp rip */
	static const u8 order[17] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };
	u32 kind = uc_x86_64_sigreturn(w), i;
	s32 at = kind == 2 ? UC_X32_SIGFRAME : UC_X86_64_SIGFRAME;

	if (!kind)
		return 0;
	uc_bare_begin(w, UC_RSP, 0);
	for (i = 0; i < 17; i++) {
		w->row.kind[order[i] & UC_REG_MASK] = UC_RULE_OFFSET;
		w->row.val[order[i] & UC_REG_MASK] = at + 8 * (s32)i;
	}
	w->row.signal = UC_SIGNAL;
	return 1;
}

/* i386's rows from a sigcontext that is at the CFA. */
static inline int uc_i386_sigcontext(struct uc_walk *w)
{
	/* edi esi ebp esp ebx edx ecx eax */
	static const u8 order[8] = { 7, 6, 5, 4, 3, 2, 1, 0 };
	u32 i;

	for (i = 0; i < 8; i++) {
		w->row.kind[order[i] & UC_REG_MASK] = UC_RULE_OFFSET;
		w->row.val[order[i] & UC_REG_MASK] = UC_I386_SC_EDI + 4 * (s32)i;
	}
	w->row.val[UC_EIP] = UC_I386_SC_EIP;
	w->row.signal = UC_SIGNAL;
	return 1;
}

/*
 * i386: mov $173,%eax; int $0x80 (real-time), or pop %eax; mov $119,%eax;
 * int $0x80, whose first instruction may be done. The real-time frame holds a
 * pointer to its ucontext: the kernel's layout of the rest has varied.
 */
static inline int uc_i386_signal(struct uc_walk *w)
{
	const u8 *p = w->scratch;
	u32 popped = p[0] != 0x58;

	if (!popped)
		p++;
	if (p[0] != 0xb8 || !uc_bytes(p + 2, 0, 0) || !uc_bytes(p + 4, 0, 0xcd) || p[6] != 0x80)
		return 0;
	if (p[1] == 0xad && popped) {
		uc_bare_begin(w, UC_ESP, UC_I386_RT_UCONTEXT_PTR);
		w->row.cfa_kind = UC_CFA_AT_REG;
		uc_i386_sigcontext(w);
		uc_bare_shift(w, UC_I386_UCONTEXT_SC);
		return 1;
	}
	if (p[1] != 0x77)
		return 0;
	uc_bare_begin(w, UC_ESP, popped ? 0 : UC_I386_SIGFRAME_SC);
	return uc_i386_sigcontext(w);
}

/* Is there a trampoline at addr? 1 with its row in w->row, 0, or UC_FAULT. */
UC_FN int uc_bare_trampoline(UC_WALK, u64 addr)
{
	int rc = uc_bare_code(w, addr, 9);

	if (rc)
		return rc == UC_FAULT ? rc : 0;
	if (UC_HAS_AARCH64 && w->abi.machine == UC_EM_AARCH64)
		return uc_aarch64_trampoline(w);
	if (UC_HAS_S390X && w->abi.id == UC_ABI_S390X)
		return uc_s390x_trampoline(w);
	return w->abi.id == UC_ABI_I386 ? uc_i386_signal(w) : uc_x86_64_signal(w);
}

/*
 * PLT entries without FDE (formats sheet 3.5): the stack pointer's distance
 * from the CFA at this byte of the entry, or 0. p is the entry's first 16
 * bytes, off the pc's place in it.
 */
static inline s64 uc_plt_depth(const u8 *p, u32 off)
{
	/* lld: jmp *slot(%rip); push $n; jmp PLT0 */
	if (uc_bytes(p, 0xff, 0x25) && p[6] == 0x68 && p[11] == 0xe9)
		return off < 11 ? 8 : 16;
	/* lld PLT0: push GOT+8(%rip); jmp *GOT+16(%rip); nopl */
	if (uc_bytes(p, 0xff, 0x35) && uc_bytes(p + 6, 0xff, 0x25) && uc_bytes(p + 12, 0x0f, 0x1f))
		return off < 6 ? 16 : 24;
	if (!uc_bytes(p, 0xf3, 0x0f) || !uc_bytes(p + 2, 0x1e, 0xfa)) /* endbr64 */
		return 0;
	/* mold: mov $n,%r11d; jmp *slot(%rip) */
	if (uc_bytes(p + 4, 0x41, 0xbb) && uc_bytes(p + 10, 0xff, 0x25))
		return 8;
	/* mold PLT0: push %r11; push GOT+8(%rip); jmp *GOT+16(%rip) */
	if (uc_bytes(p + 4, 0x41, 0x53) && uc_bytes(p + 6, 0xff, 0x35) && uc_bytes(p + 12, 0xff, 0x25))
		return off < 6 ? 8 : off < 12 ? 16 : 24;
	/* lld -z ibtplt: push $n; jmp PLT0; nop, and .plt.sec: jmp *slot(%rip); nopw */
	if (p[4] == 0x68 && p[9] == 0xe9)
		return off < 9 ? 8 : 16;
	if (uc_bytes(p + 4, 0xff, 0x25) && uc_bytes(p + 10, 0x66, 0x0f))
		return 8;
	return 0;
}

/* Entries are 16-byte aligned and never callers: the pc must be exact. */
static inline int uc_bare_plt(struct uc_walk *w)
{
	u64 pc = w->regs.pc, entry = pc & ~15ull;
	s64 depth;
	int rc;

	if (!(w->map.flags & UC_MAP_FILE) || w->abi.id == UC_ABI_I386)
		return 0;
	rc = uc_bare_code(w, entry, 16);
	if (rc)
		return rc;
	depth = uc_plt_depth(w->scratch, (u32)(pc - entry));
	/* GNU ld's .plt.got: jmp *slot(%rip); xchg %ax,%ax, 8 bytes each */
	entry = pc & 8;
	if (!depth && uc_bytes(w->scratch + entry, 0xff, 0x25) &&
	    uc_bytes(w->scratch + entry + 6, 0x66, 0x90))
		depth = 8;
	if (!depth)
		return 0;
	/* PLT0 is only reached through an entry: its caller called that one. */
	uc_bare_begin(w, UC_RSP, depth);
	return 1;
}

/*
 * Is there a push %rbp ... mov %rsp,%rbp before the pc, with no end of a
 * function in between? Compilers put an instruction or two between the halves.
 * An end is a ret, jmp, call or ud2 (the latter of what never returns), followed by
 * padding or by another function's first bytes. A ret or jmp inside a function is
 * followed by other things; and so is a call, save for a loop that is aligned.
 */
static inline void uc_prologue_end(struct uc_prologue *p, u32 b)
{
	u32 last = p->last & 0xff, ends = p->ends & 1;

	p->last = p->last << 8 | b;
	p->ends >>= 1;
	p->padding |= ends;
	/* nop or int3; 0f 1f or f3 0f 1e, both maybe with prefixes; push %rbp */
	if (p->padding && (b == 0x90 || b == 0xcc || (last == 0x0f && (b == 0x1f || b == 0x1e)) ||
			   (ends && b == 0x55)))
		p->found = 0;
	if (b != 0x66 && b != 0x2e && b != 0xf3 && b != 0x0f)
		p->padding = 0;
}

static inline void uc_prologue_byte(struct uc_prologue *p, u32 b, u64 next, u32 i386)
{
	u32 last = p->last & 0xffffff;

	if (b == 0xe8 || b == 0xe9)
		p->ends |= 1u << 4;
	else if (b == 0xeb)
		p->ends |= 1u << 1;
	else if (b == 0xc3 || (last & 0xffff) == 0x0f0b)
		p->ends |= 1;
	/* A function that ends where the next is aligned to needs no padding. */
	if (b == 0xc3 && !(next & 15))
		p->found = 0;
	p->since_push = b == 0x55 ? 0 : p->since_push + 1;
	if ((i386 ? (last & 0xffff) == 0x89e5 || (last & 0xffff) == 0x8bec
		  : last == 0x4889e5 || last == 0x488bec) &&
	    p->since_push < UC_PROLOGUE_GAP)
		p->found = 1;
}

UC_FN_LOCAL int uc_bare_has_prologue(UC_WALK, u64 pc)
{
	u64 from = pc - UC_PROLOGUE_BYTES, end = pc;
	u32 i;

	if (pc < UC_PROLOGUE_BYTES || from < w->map.start)
		from = w->map.start;
	/* an interrupted pc may be where another function begins */
	if (w->exact && w->map.end - pc >= 4)
		end += 4;
	uc_cur_set(w, from, end);
	w->cur.win_len = 0;
	w->prologue.found = 0;
	w->prologue.ends = 0;
	w->prologue.padding = 0;
	w->prologue.last = 0;
	w->prologue.since_push = UC_PROLOGUE_GAP;
	UC_FOR(i, UC_PROLOGUE_BYTES + 4)
	{
		u32 b = uc_cur_u8(w);

		if (w->cur.error == UC_FAULT)
			return UC_FAULT;
		if (w->cur.error) /* that was the last */
			break;
		uc_prologue_end(&w->prologue, b);
		if (w->cur.pos <= pc)
			uc_prologue_byte(&w->prologue, b, w->cur.pos, w->abi.id == UC_ABI_I386);
	}
	return (int)w->prologue.found;
}

/*
 * The frame pointer's record: aligned, above the stack pointer, in the
 * stack's own mapping, and the word above it follows a call.
 */
UC_FN_LOCAL int uc_bare_frame_pointer(UC_WALK)
{
	u32 reg = w->abi.fp & UC_REG_MASK, word = w->abi.word;
	u64 fp = w->regs.r[reg], sp = w->regs.r[w->abi.sp & UC_REG_MASK];
	int rc;

	if (!(w->regs.known & UC_BIT(reg)))
		return uc_no_register(w, reg);
	/* A zero says something only where the frame pointer was followed. */
	if (!fp && w->prev_bare == UC_BARE_FP)
		return uc_fail(w, UNCOIL_STOP_END_OF_CHAIN, 0, w->regs.pc);
	if ((fp & (word - 1)) || fp < sp)
		return 0;
	if (uc_port_map(w, sp) || fp < w->found.start || fp > w->found.end - 2 * word)
		return 0;
	/* Generated code has no section to search back in; what keeps no frame
	 * pointer there hardly has a return address in the right place. */
	if (w->map.flags & UC_MAP_FILE) {
		rc = uc_bare_has_prologue(w, w->regs.pc);
		if (rc != 1)
			return rc;
	}
	rc = uc_bare_ra_at(w, fp + word);
	if (rc != 1)
		return rc;
	uc_bare_begin(w, reg, 2 * word);
	w->bare = UC_BARE_FP;
	w->row.kind[reg] = UC_RULE_OFFSET;
	w->row.val[reg] = -2 * (s32)word;
	return 1;
}

/*
 * A program's start, once it has pushed something for the first function: it has
 * cleared the frame pointer, as the psABI (3.4.1) asks for, and the stack pointer is
 * still next to where it began. 1, 0 or UC_FAULT.
 */
static inline int uc_x86_64_is_start(struct uc_walk *w)
{
	u64 entry = (w->regs.pc - 1) & ~15ull;
	u32 i, at;

	if (!w->entry_sp || w->entry_sp - w->regs.r[UC_RSP] > UC_ENTRY_PUSHES)
		return 0;
	UC_FOR(i, UC_ENTRY_PUSHES / 16)
	{
		int rc = uc_bare_code(w, entry - 16 * i, 16);

		if (rc)
			return rc == UC_FAULT ? rc : 0;
		at = (uc_code_u64(w, 0) & 0xffffffff) == 0xfa1e0ff3 ? 4 : 0; /* endbr64 */
		if (w->scratch[at] == 0x48)
			at++;
		if (uc_bytes(&w->scratch[at], 0x31, 0xed)) /* xor %ebp,%ebp */
			return 1;
	}
	return 0;
}

/*
 * A thread's start in musl, behind the call of its function: mov %eax,%edi;
 * xor %eax,%eax; mov $60,%al; syscall; hlt
 */
static inline int uc_x86_64_is_thread(struct uc_walk *w)
{
	int rc = uc_bare_code(w, w->regs.pc, 9);

	if (rc)
		return rc == UC_FAULT ? rc : 0;
	return uc_code_u64(w, 0) == 0x050f3cb0c031c789 && w->scratch[8] == 0xf4;
}

UC_FN_LOCAL int uc_x86_64_is_first(UC_WALK)
{
	int rc = w->exact ? 0 : uc_x86_64_is_thread(w);

	return rc ? rc : uc_x86_64_is_start(w);
}

static inline int uc_bare_is_entry(const struct uc_walk *w)
{
	u32 sp = w->abi.sp & UC_REG_MASK;
	u64 above = w->regs.r[sp] - w->entry_sp;

	return w->entry_sp && (w->regs.known & UC_BIT(sp)) && above < UC_ENTRY_BYTES;
}

/* Nothing was done since a call has pushed its return address. */
static inline int uc_bare_called(struct uc_walk *w)
{
	u32 sp = w->abi.sp & UC_REG_MASK;
	int rc = uc_bare_ra_at(w, w->regs.r[sp]);

	if (rc == 1)
		uc_bare_begin(w, sp, w->abi.word);
	return rc;
}

/*
 * i386: mov (%esp),%reg; ret. Each position-independent function calls one of
 * these to get its address, and the ones in crti.o and ld.so have no FDE.
 */
static inline int uc_i386_thunk(struct uc_walk *w)
{
	const u8 *p = w->scratch;
	int rc = uc_bare_code(w, w->regs.pc, 4);

	if (rc)
		return rc;
	if (p[0] != 0xc3 && (p[0] != 0x8b || (p[1] & 0xc7) != 0x04 || !uc_bytes(p + 2, 0x24, 0xc3)))
		return 0;
	return uc_bare_called(w);
}

/*
 * i386's ld.so passes arguments on the stack from its entry point. What is done
 * when they are no longer needed makes the stack pointer what it was at first,
 * above any return address: add $n,%esp, or a lea and mov n(%esp),%esp.
 */
static inline int uc_i386_is_entry(struct uc_walk *w)
{
	u64 sp = w->regs.r[UC_ESP];
	const u8 *p = w->scratch;
	int rc;

	if (!w->entry_sp || w->abi.id != UC_ABI_I386 || w->exact)
		return 0;
	rc = uc_bare_code(w, w->regs.pc, 10);
	if (rc)
		return rc;
	if (uc_bytes(p, 0x83, 0xc4) && p[2] < 0x80)
		w->value = sp + p[2];
	else if (uc_bytes(p, 0x8d, 0x93) && uc_bytes(p + 6, 0x8b, 0x64) && p[8] == 0x24)
		rc = uc_stack_word(w, sp + p[9], &w->value);
	else
		return 0;
	return rc ? rc : w->value - w->entry_sp < UC_ENTRY_BYTES;
}

/*
 * Is the word at slot what a call of the pc's function has pushed? From there to
 * the pc its code must lead, and just so deep as the slot lies.
 */
static inline int uc_bare_entry_at(struct uc_walk *w, u64 slot)
{
	int rc = uc_bare_ra_at(w, slot);
	u64 entry;

	if (rc != 1 || w->scratch[2] != 0xe8) /* behind a call of another kind */
		return rc == UC_FAULT ? rc : 0;
	entry = w->value + (u64)(s64)(s32)uc_code_u64(w, 3);
	if (w->ways.calls >= UC_ENTRY_CALLS || uc_port_map(w, entry) ||
	    !(w->found.flags & UC_MAP_EXEC))
		return 0;
	w->ways.calls++;
	rc = uc_follow(w, entry, w->regs.pc);
	if (rc != 1)
		return rc;
	return w->regs.r[w->row.cfa_reg & UC_REG_MASK] + (u64)w->row.cfa_off == slot + 8;
}

/*
 * Code that never returns: but the function was called, and how deep it is by
 * the time it comes to the pc, its code says.
 */
static inline int uc_bare_from_entry(struct uc_walk *w)
{
	u64 sp = w->regs.r[UC_RSP];
	u32 i;

	if (sp & 7)
		return 0;
	w->ways.calls = 0;
	UC_FOR(i, UC_ENTRY_SLOTS)
	{
		int rc = uc_bare_entry_at(w, sp + (~sp & 8) + 16 * i);

		if (rc)
			return rc;
	}
	return 0;
}

/*
 * Does a function begin at entry, and lead to the pc, so deep that the word to
 * return to is there? What begins behind padding need not be a function: but a
 * loop's depth is off by 8.
 */
static inline int uc_bare_start_at(struct uc_walk *w, u64 entry)
{
	int rc = uc_bare_code(w, entry - 1, 1);
	u32 before = w->scratch[0];
	u64 slot;

	if (rc)
		return rc == UC_FAULT ? rc : 0;
	/* nop, int3, ret, and the last byte of long nops */
	if ((before != 0x90 && before != 0xcc && before != 0xc3 && before != 0) ||
	    w->ways.calls >= UC_ENTRY_CALLS)
		return 0;
	w->ways.calls++;
	w->found = w->map;
	rc = uc_follow(w, entry, w->regs.pc);
	if (rc != 1)
		return rc;
	slot = w->regs.r[w->row.cfa_reg & UC_REG_MASK] + (u64)w->row.cfa_off - 8;
	if ((slot & 15) != 8 || slot < w->regs.r[UC_RSP])
		return 0;
	return uc_bare_ra_at(w, slot);
}

static inline int uc_bare_from_start(struct uc_walk *w)
{
	u64 pc = w->regs.pc;
	u32 i;

	w->ways.calls = 0;
	UC_FOR(i, UC_ENTRY_BACK / 16)
	{
		u64 entry = (pc & ~15ull) - 16 * i;
		int rc;

		if (entry <= w->map.start || entry > pc)
			return 0;
		rc = uc_bare_start_at(w, entry);
		if (rc)
			return rc;
	}
	return 0;
}

static inline int uc_bare_follow(struct uc_walk *w)
{
	int rc;

	w->found = w->map;
	rc = uc_follow(w, w->regs.pc, 0);
	if (!rc && !w->ways.sure && (w->map.flags & UC_MAP_FILE))
		rc = uc_bare_from_entry(w);
	if (!rc && !w->ways.sure && (w->map.flags & UC_MAP_FILE))
		rc = uc_bare_from_start(w);
	return rc;
}

/* What x86 code says. 1 with the row, 0, UC_FAULT or a stop. */
static inline int uc_x86_row(struct uc_walk *w)
{
	int rc = 0;

	if (w->exact && w->abi.id == UC_ABI_I386)
		rc = uc_i386_thunk(w);
	else if (w->exact) /* a trampoline at its second instruction */
		rc = uc_bare_trampoline(w, w->regs.pc - 7);
	if (!rc && w->exact)
		rc = uc_bare_plt(w);
	if (!rc && w->abi.id != UC_ABI_I386)
		rc = uc_bare_follow(w);
	return rc ? rc : uc_bare_frame_pointer(w);
}

/*
 * A signal trampoline or a PLT entry at an exact pc: known producers' .sframe has
 * wrong rows for both, so where it is all there is, their code is asked first. 1 with
 * the row, 0 or UC_FAULT.
 */
UC_FN int uc_bare_linkage(UC_WALK)
{
	int rc;

	if (!w->exact)
		return 0;
	rc = uc_bare_trampoline(w, w->regs.pc);
	return rc || !w->abi.ra_slot ? rc : uc_bare_plt(w);
}

static inline int uc_arch_row(struct uc_walk *w)
{
	if (UC_HAS_AARCH64 && w->abi.machine == UC_EM_AARCH64)
		return uc_aarch64_row(w);
	if (UC_HAS_S390X && w->abi.id == UC_ABI_S390X)
		return uc_s390x_row(w);
	return uc_x86_row(w);
}

/*
 * A row for w->regs without unwind data, to w->row. why is the stop that
 * the search for unwind data ended with; it is returned if nothing fits.
 */
UC_FN int uc_bare_row(UC_WALK, u32 why)
{
	u64 addr = w->stop_addr;
	u32 flaw = w->flaw;
	int rc = 0;

	if (!(w->regs.known & UC_BIT(w->abi.sp & UC_REG_MASK)) && w->abi.ra_slot)
		return uc_no_register(w, w->abi.sp);
	if (why == UNCOIL_STOP_NO_MAPPING) {
		if (!w->exact)
			rc = uc_bare_trampoline(w, w->regs.pc);
		else if (w->abi.ra_slot)
			rc = uc_bare_called(w);
		goto out;
	}
	rc = uc_bare_is_entry(w) ? 1 : uc_i386_is_entry(w);
	if (rc == UC_FAULT)
		return rc;
	if (rc == 1)
		return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
	rc = uc_bare_trampoline(w, w->regs.pc);
	if (!rc)
		rc = uc_arch_row(w);
	if ((!rc || rc == UNCOIL_STOP_END_OF_CHAIN) && w->abi.machine == UC_EM_X86_64) {
		int first = uc_x86_64_is_first(w);

		if (first == 1)
			return uc_fail(w, UNCOIL_STOP_OUTERMOST, 0, 0);
		if (first)
			return first;
	}
out:
	if (rc == 1)
		return 0;
	if (rc == UC_FAULT || rc == UNCOIL_STOP_END_OF_CHAIN || rc == UNCOIL_STOP_NO_REGISTER)
		return rc;
	return uc_fail(w, (int)why, flaw, addr);
}
