/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the verifier makes of each program.
 *
 * usage: bench_costs OBJECT TIMES
 *
 * Prints a line for each: program, verified instructions, bytes of machine
 * code, median ms to load it alone (the kernel's part and libbpf's).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#define TIMES_MAX 100
#define PROGRAMS_MAX 32

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int die(const char *what, int err)
{
	fprintf(stderr, "bench_costs: %s: %s\n", what, strerror(err));
	exit(1);
}

static struct bpf_object *open_object(const char *path)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);

	if (!object)
		die(path, errno);
	return object;
}

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

/* Load the program called name (NULL: all). Returns the object; ms it took. */
static struct bpf_object *load(const char *path, const char *name, double *ret_ms)
{
	struct bpf_object *object = open_object(path);
	struct bpf_program *program;
	double start;
	int rc;

	if (name)
		bpf_object__for_each_program(program, object)
			bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	start = now_ms();
	rc = bpf_object__load(object);
	*ret_ms = now_ms() - start;
	if (rc)
		die(name ? name : path, -rc);
	return object;
}

static double load_ms(const char *path, const char *name, int times, struct bpf_prog_info *ret)
{
	double ms[TIMES_MAX];
	int i;

	for (i = 0; i < times; i++) {
		struct bpf_object *object = load(path, name, &ms[i]);
		__u32 size = sizeof(*ret);

		memset(ret, 0, sizeof(*ret));
		if (name && bpf_obj_get_info_by_fd(bpf_program__fd(bpf_object__find_program_by_name(
							   object, name)), ret, &size))
			die(name, errno);
		bpf_object__close(object);
	}
	qsort(ms, (size_t)times, sizeof(*ms), by_value);
	return ms[times / 2];
}

int main(int argc, char **argv)
{
	int times = argc == 3 ? atoi(argv[2]) : 0, nr = 0, i;
	char names[PROGRAMS_MAX][64];
	struct bpf_program *program;
	struct bpf_object *object;
	struct bpf_prog_info info;

	if (times < 1 || times > TIMES_MAX) {
		fprintf(stderr, "usage: bench_costs OBJECT TIMES\n");
		return 2;
	}
	libbpf_set_print(quiet);
	object = open_object(argv[1]);
	bpf_object__for_each_program(program, object)
		if (nr < PROGRAMS_MAX)
			snprintf(names[nr++], sizeof(names[0]), "%s", bpf_program__name(program));
	bpf_object__close(object);
	for (i = 0; i < nr; i++) {
		double ms = load_ms(argv[1], names[i], times, &info);

		printf("%s %u %u %.0f\n", names[i], info.verified_insns, info.jited_prog_len, ms);
	}
	printf("all - - %.0f\n", load_ms(argv[1], NULL, times, &info));
	return 0;
}
