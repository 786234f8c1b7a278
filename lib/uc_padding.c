/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_padding.h"

/* Longest padding instruction: x86's nops have up to 15 bytes. */
#define INSN_MAX 15

/* Length of the nop at p, of which len bytes are there; 0: it is none (Intel
 * SDM volume 2, "NOP"). */
static u32 x86_padding(const u8 *p, u32 len)
{
	u32 n = 0, modrm;

	if (p[0] == 0x90 || p[0] == 0xcc || p[0] == 0)
		return 1;
	while (n < len && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (n && n < len && p[n] == 0x90)
		return n + 1;
	if (n + 2 >= len || p[n] != 0x0f || p[n + 1] != 0x1f)
		return 0;
	modrm = p[n + 2];
	n += 3 + ((modrm & 7) == 4) + (modrm >> 6 == 1 ? 1 : modrm >> 6 == 2 ? 4 : 0);
	return modrm >> 6 != 3 && n <= len ? n : 0;
}

static u32 aarch64_padding(const u8 *p, u32 len)
{
	u32 insn = p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;

	return len >= 4 && (insn == 0xd503201f || !insn) ? 4 : 0;
}

/* nopr, nop, and brcl 0 (z/Architecture Principles of Operation) */
static u32 s390x_padding(const u8 *p, u32 len)
{
	if (p[0] == 0x07 && (p[1] & 0xf0) == 0)
		return 2;
	if (p[0] == 0x47 && (p[1] & 0xf0) == 0)
		return len >= 4 ? 4 : 0;
	if (p[0] == 0xc0 && p[1] == 0x04)
		return len >= 6 ? 6 : 0;
	return !p[0] && !p[1] ? 2 : 0;
}

static u32 padding(const struct uc_image *img, const u8 *p, u32 len)
{
	switch (uc_image_abi(img)) {
	case UC_ABI_AARCH64:
	case UC_ABI_AARCH64_BE:
		return aarch64_padding(p, len);
	case UC_ABI_S390X:
		return s390x_padding(p, len);
	default:
		return x86_padding(p, len);
	}
}

u64 uc_padding_end(const struct uc_image *img, u64 start, u64 end)
{
	u64 limit = start + UC_PADDING_MAX;

	while (start < end && start < limit) {
		u8 bytes[INSN_MAX + 1] = { 0xff, 0xff, 0xff, 0xff };
		u32 len = end - start < INSN_MAX ? (u32)(end - start) : INSN_MAX, n;

		if (uc_image_read(img, start, bytes, len))
			break;
		n = padding(img, bytes, len);
		if (!n || n > len)
			break;
		start += n;
	}
	return start;
}

u64 uc_padding_start(const struct uc_image *img, u64 start, u64 end)
{
	enum uc_abi_id abi = uc_image_abi(img);
	u32 step = abi == UC_ABI_AARCH64 || abi == UC_ABI_AARCH64_BE ? 4 : abi == UC_ABI_S390X ? 2 : 1;

	if (end - start > UC_PADDING_MAX)
		start = end - UC_PADDING_MAX;
	while (end - start >= step) {
		u8 bytes[INSN_MAX + 1] = { 0xff, 0xff, 0xff, 0xff };

		if (uc_image_read(img, end - step, bytes, step) ||
		    padding(img, bytes, step) != step)
			break;
		end -= step;
	}
	return end;
}
