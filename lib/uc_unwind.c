/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_unwind.h"

#include <stdlib.h>
#include <string.h>

bool uc_unwind_parse(const char *name, enum uc_unwind *ret)
{
	static const char *const names[] = {
		[UC_UNWIND_AUTO] = "auto",
		[UC_UNWIND_EHFRAME] = "ehframe",
		[UC_UNWIND_SFRAME] = "sframe",
		[UC_UNWIND_FP] = "fp",
	};

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]))
			continue;
		*ret = (enum uc_unwind)i;
		return true;
	}
	return false;
}

enum uc_unwind uc_unwind_default(void)
{
	const char *name = getenv("UNCOIL_UNWIND");
	enum uc_unwind ret;

	return name && uc_unwind_parse(name, &ret) ? ret : UC_UNWIND_AUTO;
}
