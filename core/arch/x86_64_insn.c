/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * x86-64's instructions, as far as following code needs them: what comes after the
 * opcode, and which general registers it writes (Intel SDM volume 2, appendix A,
 * 64-bit mode). An opcode that is not named here is not followed.
 */
#include "x86_64_insn.h"

#include "uc_bare.h"

/* clang-format off */
#define INSN_ARITH(at) \
	[(at)] = INSN_MB | INSN_RM, [(at) + 1] = INSN_M | INSN_RM, \
	[(at) + 2] = INSN_MB | INSN_REG, [(at) + 3] = INSN_M | INSN_REG, \
	[(at) + 4] = INSN_OK | INSN_IMM8 | INSN_SCRATCH, [(at) + 5] = INSN_OK | INSN_IMM | INSN_SCRATCH

static const u16 uc_insn_one[256] = {
	INSN_ARITH(0x00), INSN_ARITH(0x08), INSN_ARITH(0x10), INSN_ARITH(0x18), /* add or adc sbb */
	INSN_ARITH(0x20), INSN_ARITH(0x28), INSN_ARITH(0x30), /* and sub xor */
	[0x38] = INSN_MB, [0x39] = INSN_M, [0x3a] = INSN_MB, [0x3b] = INSN_M, /* cmp */
	[0x3c] = INSN_OK | INSN_IMM8, [0x3d] = INSN_OK | INSN_IMM,
	[0x2e] = INSN_PREFIX, [0x36] = INSN_PREFIX, [0x3e] = INSN_PREFIX, /* segments, widths, */
	[0x64 ... 0x67] = INSN_PREFIX, [0xf0] = INSN_PREFIX, /* lock, rep */
	[0xf2] = INSN_PREFIX, [0xf3] = INSN_PREFIX,
	[0x50 ... 0x5f] = INSN_OK | INSN_OWN, /* push, pop */
	[0x63] = INSN_M | INSN_OWN, /* movsxd */
	[0x68] = INSN_OK | INSN_IMM | INSN_OWN, [0x6a] = INSN_OK | INSN_IMM8 | INSN_OWN, /* push */
	[0x69] = INSN_M | INSN_IMM | INSN_REG, [0x6b] = INSN_M | INSN_IMM8 | INSN_REG, /* imul */
	[0x70 ... 0x7f] = INSN_OK | INSN_IMM8 | INSN_OWN, /* jcc */
	[0x80] = INSN_MB | INSN_IMM8 | INSN_OWN, [0x81] = INSN_M | INSN_IMM | INSN_OWN,
	[0x83] = INSN_M | INSN_IMM8 | INSN_OWN, /* group 1 */
	[0x84] = INSN_MB, [0x85] = INSN_M | INSN_OWN, /* test */
	[0x86] = INSN_MB | INSN_REG | INSN_RM, [0x87] = INSN_M | INSN_REG | INSN_RM, /* xchg */
	[0x88] = INSN_MB | INSN_RM, [0x89] = INSN_M | INSN_OWN, /* mov */
	[0x8a] = INSN_MB | INSN_REG, [0x8b] = INSN_M | INSN_OWN, [0x8d] = INSN_M | INSN_OWN, /* lea */
	[0x90 ... 0x97] = INSN_OK | INSN_OWN, /* nop, xchg */
	[0x98] = INSN_OK | INSN_SCRATCH, [0x99] = INSN_OK | INSN_SCRATCH, /* cltq, cqto */
	[0x9b] = INSN_OK, [0x9e] = INSN_OK, [0x9f] = INSN_OK | INSN_SCRATCH, /* fwait sahf lahf */
	[0xa4 ... 0xa7] = INSN_OK | INSN_SCRATCH, /* movs, cmps */
	[0xa8] = INSN_OK | INSN_IMM8, [0xa9] = INSN_OK | INSN_IMM, /* test */
	[0xaa ... 0xaf] = INSN_OK | INSN_SCRATCH, /* stos, lods, scas */
	[0xb0 ... 0xb7] = INSN_OK | INSN_IMM8 | INSN_BYTE | INSN_OWN, /* mov */
	[0xb8 ... 0xbf] = INSN_OK | INSN_IMM | INSN_OWN, /* 8 bytes with REX.W */
	[0xc0] = INSN_MB | INSN_IMM8 | INSN_RM, [0xc1] = INSN_M | INSN_IMM8 | INSN_RM, /* shifts */
	[0xc2] = INSN_OK | INSN_OWN, [0xc3] = INSN_OK | INSN_OWN, /* ret */
	[0xc6] = INSN_MB | INSN_IMM8 | INSN_RM, [0xc7] = INSN_M | INSN_IMM | INSN_RM, /* mov */
	[0xc9] = INSN_OK | INSN_OWN, /* leave */
	[0xd0] = INSN_MB | INSN_RM, [0xd1] = INSN_M | INSN_RM, /* shifts */
	[0xd2] = INSN_MB | INSN_RM, [0xd3] = INSN_M | INSN_RM,
	[0xd8 ... 0xdf] = INSN_M | INSN_SCRATCH, /* x87; fnstsw %ax */
	[0xe8] = INSN_OK | INSN_IMM | INSN_OWN, /* call, jmp */
	[0xe9] = INSN_OK | INSN_IMM | INSN_OWN, [0xeb] = INSN_OK | INSN_IMM8 | INSN_OWN,
	[0xf5] = INSN_OK, [0xf8] = INSN_OK, [0xf9] = INSN_OK, [0xfc] = INSN_OK, [0xfd] = INSN_OK,
	[0xf6] = INSN_MB | INSN_OWN, [0xf7] = INSN_M | INSN_OWN, /* group 3 */
	[0xfe] = INSN_MB | INSN_RM, [0xff] = INSN_M | INSN_OWN, /* inc, dec; group 5 */
};

/* 0f xx */
static const u16 uc_insn_two[256] = {
	[0x05] = INSN_OK | INSN_OWN, /* syscall */
	[0x0d] = INSN_M, [0x10 ... 0x17] = INSN_M, /* prefetchw, SSE mov */
	[0x18 ... 0x1f] = INSN_M | INSN_OWN, /* prefetch, nop, endbr64 */
	[0x28 ... 0x2b] = INSN_M, [0x2c ... 0x2d] = INSN_M | INSN_REG, [0x2e ... 0x2f] = INSN_M,
	[0x31] = INSN_OK | INSN_SCRATCH, /* rdtsc */
	[0x40 ... 0x4f] = INSN_M | INSN_REG, /* cmov */
	[0x50] = INSN_M | INSN_REG, [0x51 ... 0x6f] = INSN_M, [0x70 ... 0x73] = INSN_M | INSN_IMM8,
	[0x74 ... 0x76] = INSN_M, [0x77] = INSN_OK, [0x7c ... 0x7d] = INSN_M,
	[0x7e] = INSN_M | INSN_OWN, /* movd to a register or memory; movq */
	[0x7f] = INSN_M,
	[0x80 ... 0x8f] = INSN_OK | INSN_IMM | INSN_OWN, /* jcc */
	[0x90 ... 0x9f] = INSN_MB | INSN_RM, /* setcc */
	[0xa3] = INSN_M, [0xa4] = INSN_M | INSN_IMM8 | INSN_RM, [0xa5] = INSN_M | INSN_RM, /* bt, shld */
	[0xab] = INSN_M | INSN_RM, [0xac] = INSN_M | INSN_IMM8 | INSN_RM, [0xad] = INSN_M | INSN_RM,
	[0xae] = INSN_M | INSN_RM, [0xaf] = INSN_M | INSN_REG, /* fences, rdfsbase; imul */
	[0xb0] = INSN_MB | INSN_RM | INSN_SCRATCH, [0xb1] = INSN_M | INSN_RM | INSN_SCRATCH, /* cmpxchg */
	[0xb3] = INSN_M | INSN_RM, [0xb6 ... 0xb8] = INSN_M | INSN_REG, /* btr, movzx, popcnt */
	[0xba] = INSN_M | INSN_IMM8 | INSN_OWN, [0xbb] = INSN_M | INSN_RM, /* bt and the like */
	[0xbc ... 0xbf] = INSN_M | INSN_REG, /* bsf, bsr, movsx */
	[0xc0] = INSN_MB | INSN_REG | INSN_RM, [0xc1] = INSN_M | INSN_REG | INSN_RM, /* xadd */
	[0xc2] = INSN_M | INSN_IMM8, [0xc3] = INSN_M, [0xc4] = INSN_M | INSN_IMM8,
	[0xc5] = INSN_M | INSN_IMM8 | INSN_REG, [0xc6] = INSN_M | INSN_IMM8,
	[0xc7] = INSN_M | INSN_RM | INSN_SCRATCH, /* cmpxchg16b, rdrand */
	[0xc8 ... 0xcf] = INSN_OK | INSN_OWN, /* bswap */
	[0xd0 ... 0xd6] = INSN_M, [0xd7] = INSN_M | INSN_REG, [0xd8 ... 0xfe] = INSN_M,
};
/* clang-format on */

/*
 * The 16 bytes at the cursor to w->scratch; what is missing is zero. They come from
 * the cursor's window, unless it ends before.
 */
static inline int uc_insn_fill(struct uc_walk *w)
{
	u64 pos = w->cur.pos, at = pos - w->cur.win, left = w->cur.end - pos;

	if (pos >= w->cur.end)
		return UNCOIL_STOP_MALFORMED;
	if (at >= w->cur.win_len || w->cur.win_len - at < 16) {
		u32 len = uc_to_page_end(pos, left < UC_WINDOW ? (u32)left : UC_WINDOW);

		w->cur.win_len = 0;
		if (len < 16)
			return uc_bare_code(w, pos, left < 16 ? (u32)left : 16);
		if (uc_port_read_window(w, w->cur.buf, len, pos, UC_WINDOW))
			return uc_read_failed(w, pos, len);
		w->cur.win = pos;
		w->cur.win_len = len;
		at = 0;
	}
	if (at > UC_WINDOW - 16)
		return UNCOIL_STOP_MALFORMED;
	memcpy(w->scratch, &w->cur.buf[at], 16);
	return 0;
}

/* The next byte of the instruction. Its length is looked at when it is read. */
static inline u32 uc_insn_u8(struct uc_walk *w)
{
	return w->scratch[w->insn.len++ & 15];
}

/* A number of 1, 2, 4 or 8 bytes, sign-extended. */
static inline s64 uc_insn_signed(struct uc_walk *w, u32 bytes)
{
	u32 shift = (64 - 8 * bytes) & 63;
	u64 v;

	memcpy(&v, &w->scratch[w->insn.len & 15], 8);
	v = uc_word(w, v, 8);
	w->insn.len += (u8)bytes;
	return (s64)(v << shift) >> shift;
}

static inline void uc_insn_memory(struct uc_walk *w, u32 rm)
{
	u32 rex = w->insn.rex, mod = w->insn.mod, base = rm, none;

	if (rm == 4) {
		u32 sib = uc_insn_u8(w);

		base = sib & 7;
		w->insn.indexed = ((sib >> 3) & 7) != 4 || (rex & 2);
	}
	none = !mod && base == 5;
	w->insn.rip = !mod && rm == 5;
	w->insn.base = none ? UC_INSN_NO_BASE : uc_insn_reg(base | (rex & 1) << 3);
	if (mod || none)
		w->insn.disp = uc_insn_signed(w, mod == 1 ? 1 : 4);
}

static inline void uc_insn_modrm(struct uc_walk *w)
{
	u32 rex = w->insn.rex, high = (w->insn.what & INSN_BYTE) && !rex;
	u32 modrm = uc_insn_u8(w), rm = modrm & 7;

	w->insn.mod = (u8)(modrm >> 6);
	w->insn.digit = (modrm >> 3) & 7;
	w->insn.reg = uc_insn_byte_reg(w->insn.digit | (rex & 4) << 1, high);
	w->insn.rm = uc_insn_byte_reg(rm | (rex & 1) << 3, high && w->insn.mod == 3);
	if (w->insn.mod != 3)
		uc_insn_memory(w, rm);
	/* group 3: only its test has an immediate operand */
	if (!w->insn.two && (w->insn.op & 0xfe) == 0xf6 && w->insn.digit < 2)
		w->insn.what |= w->insn.op & 1 ? INSN_IMM : INSN_IMM8;
}

/* Prefixes and the opcode. */
static inline void uc_insn_opcode(struct uc_walk *w)
{
	u32 i;

	w->insn.opsize = 4;
	UC_FOR(i, UC_INSN_PREFIXES)
	{
		w->insn.op = (u8)uc_insn_u8(w);
		if (!(uc_insn_one[w->insn.op] & INSN_PREFIX))
			break;
		if (w->insn.op == 0x66)
			w->insn.opsize = 2;
		else if (w->insn.op >= 0xf2)
			w->insn.rep = w->insn.op;
	}
	if ((w->insn.op & 0xf0) == 0x40) {
		w->insn.rex = w->insn.op;
		w->insn.op = (u8)uc_insn_u8(w);
	}
	if (w->insn.rex & 8)
		w->insn.opsize = 4;
	w->insn.what = uc_insn_one[w->insn.op];
	w->insn.two = w->insn.op == 0x0f;
	if (w->insn.two) {
		w->insn.op = (u8)uc_insn_u8(w);
		w->insn.what = uc_insn_two[w->insn.op];
	}
}

UC_FN int uc_insn_read(UC_WALK)
{
	u32 bytes = 0;

	memset(&w->insn, 0, sizeof(w->insn));
	w->cur.error = uc_insn_fill(w);
	if (w->cur.error)
		return w->cur.error;
	uc_insn_opcode(w);
	if (w->insn.what & INSN_MODRM)
		uc_insn_modrm(w);
	if (w->insn.what & INSN_IMM8)
		bytes = 1;
	else if (w->insn.what & INSN_IMM) /* mov $imm, %reg may have 8 */
		bytes = (w->insn.rex & 8) && (w->insn.op & 0xf8) == 0xb8 ? 8 : w->insn.opsize;
	if (bytes)
		w->insn.imm = uc_insn_signed(w, bytes);
	w->cur.pos += w->insn.len;
	if (w->insn.len > 15 || w->cur.pos > w->cur.end)
		w->cur.error = UNCOIL_STOP_MALFORMED;
	return w->cur.error;
}
