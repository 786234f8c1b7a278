/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE 1
#include "elf_files.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

struct seen {
	dev_t dev;
	ino_t ino;
};

static int compare_seen(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Was this file there under another name? */
static bool seen_before(void **tree, const struct stat *st)
{
	struct seen *new = malloc(sizeof(*new)), **found;

	if (!new)
		return false;
	*new = (struct seen){ st->st_dev, st->st_ino };
	found = tsearch(new, tree, compare_seen);
	if (found && *found == new)
		return false;
	free(new);
	return found;
}

static bool is_elf(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char magic[4];
	bool yes;

	if (fd < 0)
		return false;
	yes = pread(fd, magic, 4, 0) == 4 && !memcmp(magic, "\177ELF", 4);
	close(fd);
	return yes;
}

static int in_directory(const char *path, elf_file_fn *fn, void *arg)
{
	char *const paths[] = { (char *)path, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	void *seen = NULL;
	FTSENT *e;
	int rc = 0;

	if (!fts)
		return 0;
	while (!rc && (e = fts_read(fts))) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR)
			uc_error("%s: %s", e->fts_path, strerror(e->fts_errno));
		if (e->fts_info != FTS_F || !S_ISREG(e->fts_statp->st_mode) || !is_elf(e->fts_accpath))
			continue;
		if (e->fts_statp->st_nlink > 1 && seen_before(&seen, e->fts_statp))
			continue;
		rc = fn(e->fts_path, e->fts_path, false, arg);
	}
	fts_close(fts);
	tdestroy(seen, free);
	return rc;
}

int elf_files_each(char **paths, elf_file_fn *fn, void *arg)
{
	struct stat st;
	int rc = 0;

	for (; !rc && *paths; paths++) {
		if (!stat(*paths, &st) && S_ISDIR(st.st_mode))
			rc = in_directory(*paths, fn, arg);
		else
			rc = fn(*paths, *paths, true, arg);
	}
	return rc;
}

/* ---- progress ---- */

#define SHOW_MS 200

void files_progress_begin(struct files_progress *p)
{
	*p = (struct files_progress){ .is_wanted = isatty(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &p->last);
}

void files_progress_show(struct files_progress *p, uint64_t files, uint64_t bytes)
{
	struct timespec now;
	int64_t ms;

	if (!p->is_wanted)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - p->last.tv_sec) * 1000 + (now.tv_nsec - p->last.tv_nsec) / 1000000;
	if (ms < SHOW_MS)
		return;
	p->last = now;
	p->is_shown = true;
	fprintf(stderr, "\r%" PRIu64 " files, %.1f MB of unwind data", files, (double)bytes / 1e6);
	fflush(stderr);
}

void files_progress_clear(struct files_progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	p->is_shown = false;
}
