/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Replays inputs: replay_TARGET FILE... runs the target once on each file. For
 * builds without libFuzzer, and to look at what it found.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file in memory of just its size, so that reads beyond it are noticed. */
static int replay(const char *path)
{
	static uint8_t buf[1 << 20];
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t n;

	if (!f) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	data = malloc(n ? n : 1);
	if (!data)
		return 1;
	memcpy(data, buf, n);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	printf("%s: %d inputs\n", argv[0], argc - 1);
	return failed;
}
