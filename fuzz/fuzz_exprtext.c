/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Texts of expressions. An input is the ABI (low four bits), whether the CFA is
 * pushed (bit 4) and the text's size (what is above, times 32) in a byte, then
 * the operators.
 */
#include "uc_exprtext.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room;
	char *text;
	u32 abi;

	if (!size)
		return 0;
	abi = (data[0] & 15) % UC_ABI_COUNT;
	room = 1 + (data[0] >> 5) * 32u;
	text = malloc(room);
	if (!text)
		return 0;
	uc_expr_text((enum uc_abi_id)abi, abi == UC_ABI_I386 ? 4 : 8, data + 1, size - 1,
		     data[0] >> 4 & 1, text, room);
	if (strnlen(text, room) == room)
		abort();
	free(text);
	return 0;
}
