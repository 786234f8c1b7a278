/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uncoil check: can files, processes, or all that runs be walked, how far, and
 * why not?
 */
#define _GNU_SOURCE 1
#include "cli.h"
#include "elf_files.h"
#include "out_check.h"
#include "uc_procmaps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXIT_DEGRADED 1
#define EXIT_IMPOSSIBLE 2 /* or unreadable */

struct known {
	uint64_t inode;
	uint32_t major, minor; /* of its device */
};

struct check {
	const struct check_form *form;
	bool is_detailed, is_system, help;
	struct check_sum sum;
	struct files_progress progress;
	struct known *known; /* files of processes that were looked at */
	size_t nr_known;
	char **paths;
};

static void print_help(void)
{
	puts("Usage: uncoil check [OPTION]... FILE|DIRECTORY|PID...\n"
	     "       uncoil check [OPTION]... --system\n"
	     "Say whether programs and libraries can be walked, how far, and why not.\n\n"
	     "      --system    every file that any process has mapped as code\n"
	     "  -v, --verbose   all that there is to say of each file, as of a single one\n"
	     "      --json      for scripts\n"
	     "  -h, --help      this text\n\n"
	     "Exits with 0 if all is fine, 1 if something is degraded, 2 if something is\n"
	     "impossible to walk or unreadable. See uncoil-check(1).");
}

/* ---- one file ---- */

static int unreadable(struct check *c, const char *name, const char *why)
{
	files_progress_clear(&c->progress);
	c->sum.unreadable++;
	c->form->unreadable(name, why);
	return 0;
}

static void add_to_sum(struct check_sum *s, const struct uc_check *r)
{
	s->files++;
	s->fine += r->verdict == UC_CHECK_FINE;
	s->degraded += r->verdict == UC_CHECK_DEGRADED;
	s->impossible += r->verdict == UC_CHECK_IMPOSSIBLE;
	s->code += r->code;
	s->uncovered += r->uncovered;
	s->unwind_bytes += r->unwind_bytes;
	s->functions += r->functions;
	s->rows += r->rows;
	s->flaws += r->nr_flaws;
	s->differing += r->comparison.differing;
}

static int check_image(struct check *c, const struct uc_image *img, const char *name)
{
	struct uc_check result;

	if (uc_check(img, &result))
		return -ENOMEM;
	add_to_sum(&c->sum, &result);
	if (c->is_detailed || result.verdict != UC_CHECK_FINE)
		files_progress_clear(&c->progress);
	c->form->file(name, &result, c->is_detailed);
	uc_check_fini(&result);
	files_progress_show(&c->progress, c->sum.files, c->sum.unwind_bytes);
	return 0;
}

/* -ENOEXEC: it is not ELF, and nothing was said of it. */
static int open_and_check(struct check *c, const char *path, const char *name, bool is_named,
			  char *err, size_t err_size)
{
	struct uc_image *img;
	int rc = uc_image_open(path, &img, err, err_size);

	if (rc == -ENOEXEC)
		return rc;
	if (rc == -ENOTSUP && !is_named) { /* not programs or libraries, or others' */
		c->sum.skipped++;
		return 0;
	}
	if (rc)
		return unreadable(c, name, err);
	rc = check_image(c, img, name);
	uc_image_free(img);
	return rc;
}

static int check_file(const char *path, const char *name, bool is_named, void *arg)
{
	char err[512];
	int rc = open_and_check(arg, path, name, is_named, err, sizeof(err));

	return rc == -ENOEXEC ? unreadable(arg, name, err) : rc;
}

/* ---- processes ---- */

static bool is_known(struct check *c, const struct uc_proc_map *m)
{
	struct known *more;
	size_t i;

	for (i = 0; i < c->nr_known; i++)
		if (c->known[i].inode == m->inode && c->known[i].major == m->dev_major &&
		    c->known[i].minor == m->dev_minor)
			return true;
	more = reallocarray(c->known, c->nr_known + 1, sizeof(*more));
	if (!more)
		return false;
	c->known = more;
	c->known[c->nr_known++] = (struct known){ m->inode, m->dev_major, m->dev_minor };
	return false;
}

/* The vdso is in memory alone. */
static int check_vdso(struct check *c, pid_t pid, const struct uc_proc_map *m)
{
	size_t size = (size_t)(m->end - m->start);
	struct uc_image *img;
	char path[64], err[512];
	char *bytes;
	FILE *f;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	f = fopen(path, "re");
	bytes = size <= 1 << 20 ? malloc(size) : NULL;
	if (!f || !bytes || fseeko(f, (off_t)m->start, SEEK_SET) || fread(bytes, size, 1, f) != 1) {
		/* of all that runs, this one may just have ended */
		rc = c->is_system ? 0 : unreadable(c, m->path, "the vdso can not be read");
	} else if (uc_image_open_memory(bytes, size, m->path, &img, err, sizeof(err))) {
		rc = unreadable(c, m->path, err);
	} else {
		rc = check_image(c, img, m->path);
		uc_image_free(img);
	}
	free(bytes);
	if (f)
		fclose(f);
	return rc;
}

static int check_generated(struct check *c, pid_t pid, const struct uc_proc_map *m)
{
	char name[64];

	c->sum.generated++;
	c->sum.generated_bytes += m->end - m->start;
	if (c->is_system && !c->is_detailed)
		return 0;
	snprintf(name, sizeof(name), "process %d", pid);
	files_progress_clear(&c->progress);
	c->form->generated(name, m->start, m->end);
	return 0;
}

/* The file itself, deleted or replaced as it may be; else by its path there. */
static int check_mapped(struct check *c, pid_t pid, const struct uc_proc_map *m)
{
	char path[PATH_MAX + 64], err[512];
	int rc;

	if (!strcmp(m->path, "[vdso]"))
		return is_known(c, m) ? 0 : check_vdso(c, pid, m);
	if (m->path[0] == '[') /* the kernel's: [vsyscall], [uprobes] */
		return 0;
	if (!m->inode)
		return check_generated(c, pid, m);
	if (is_known(c, m))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, m->start, m->end);
	if (access(path, R_OK))
		snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->path);
	rc = open_and_check(c, path, m->path, true, err, sizeof(err));
	/* shared memory, or a file that a compiler at run time writes to */
	return rc == -ENOEXEC ? check_generated(c, pid, m) : rc;
}

struct process {
	struct check *c;
	pid_t pid;
};

static int check_code(const struct uc_proc_map *m, void *arg)
{
	struct process *p = arg;

	return m->prot & PROT_EXEC ? check_mapped(p->c, p->pid, m) : 0;
}

/* 0, -ENOMEM, or another negative errno if the process can not be looked at. */
static int check_process(struct check *c, pid_t pid)
{
	struct process p = { c, pid };

	return uc_proc_maps_each(pid, check_code, &p);
}

static int named_process(struct check *c, const char *text)
{
	char why[256];
	int rc = check_process(c, (pid_t)strtol(text, NULL, 10));

	if (!rc || rc == -ENOMEM)
		return rc;
	snprintf(why, sizeof(why), "process %s: %s%s", text,
		 rc == -ENOENT ? "there is none" : strerror(-rc),
		 rc == -EACCES || rc == -EPERM ? "; looking into others' processes takes root" : "");
	return unreadable(c, text, why);
}

/* Processes that end meanwhile, and threads of the kernel, are none. */
static int check_system(struct check *c)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;
	int rc = 0;

	if (!dir)
		return unreadable(c, "/proc", strerror(errno));
	while (rc != -ENOMEM && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		rc = check_process(c, (pid_t)strtol(e->d_name, NULL, 10));
		if (rc == -EACCES || rc == -EPERM)
			rc = named_process(c, e->d_name);
	}
	closedir(dir);
	return rc == -ENOMEM ? rc : 0;
}

/* ---- all ---- */

/* A number is a process, unless a file is called so. */
static bool is_pid(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0' && strlen(text) < 10 &&
	       access(text, F_OK);
}

static int check_named(struct check *c)
{
	char **path;
	int rc = 0;

	for (path = c->paths; !rc && *path; path++) {
		char *one[] = { *path, NULL };

		if (is_pid(*path))
			rc = named_process(c, *path);
		else
			rc = elf_files_each(one, check_file, c);
	}
	return rc;
}

static int run(struct check *c)
{
	int rc;

	files_progress_begin(&c->progress);
	c->form->begin();
	rc = c->is_system ? check_system(c) : check_named(c);
	files_progress_clear(&c->progress);
	free(c->known);
	if (rc)
		return uc_no_memory();
	c->form->end(&c->sum);
	if (uc_finish_output())
		return EXIT_IMPOSSIBLE;
	if (c->sum.impossible || c->sum.unreadable)
		return EXIT_IMPOSSIBLE;
	return c->sum.degraded || c->sum.generated ? EXIT_DEGRADED : UC_EXIT_OK;
}

static int parse_options(int argc, char **argv, struct check *ret)
{
	static const struct option options[] = {
		{ "system", no_argument, NULL, 's' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":vh", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			ret->is_system = true;
			break;
		case 'v':
			ret->is_detailed = true;
			break;
		case 'j':
			ret->form = &check_json;
			break;
		case 'h':
			ret->help = true;
			return 0;
		default:
			return uc_option_error("check", opt, argv);
		}
	}
	ret->paths = argv + optind;
	if (ret->is_system ? optind < argc : optind == argc)
		return uc_usage_error("check", ret->is_system ? "--system: nothing can be named beside it" :
							   "name a file, a directory or a process");
	/* of a single file, all */
	if (optind + 1 == argc && !is_pid(argv[optind])) {
		DIR *dir = opendir(argv[optind]);

		ret->is_detailed |= !dir;
		if (dir)
			closedir(dir);
	}
	return 0;
}

int cmd_check(int argc, char **argv)
{
	struct check c = { .form = &check_text };
	int err = parse_options(argc, argv, &c);

	if (err)
		return err;
	if (c.help) {
		print_help();
		return uc_finish_output();
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	return run(&c);
}
