/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sframe_at FILE PC...: what the bytes of an x86-64 .sframe section say of each
 * pc, which counts from the section's start: "PC CFA RA FP FLAGS" as in
 * tests/sframe/README.md, or "PC none: STOP". All that follows is code.
 */
#include <stdlib.h>

#include "../unit/sframe_image.h"

#define SECTION 0x10000000ull

static struct sframe_image img;
static struct uc_walk w;
static u8 bytes[65536];

static void say(u64 pc)
{
	int rc = sfi_row(&w, SECTION + pc);

	if (rc)
		printf("0x%llx none: %d\n", (unsigned long long)pc, rc);
	else
		printf("0x%llx %s\n", (unsigned long long)pc, sfi_say(&w));
}

int main(int argc, char **argv)
{
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
	u32 len;
	int i;

	if (!f) {
		fprintf(stderr, "usage: sframe_at FILE PC...\n");
		return 2;
	}
	len = (u32)fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	sfi_begin(&img, &w, UC_ABI_X86_64, SECTION, bytes, len);
	sfi_exec(&w, SECTION + len, SECTION + (1 << 20));
	for (i = 2; i < argc; i++)
		say(strtoull(argv[i], NULL, 0));
	return 0;
}
