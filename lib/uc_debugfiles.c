/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "uc_debugfiles.h"

#include <errno.h>
#include <stdlib.h>

#include "uc_debugframe.h"

/* Each file's section has this much room; uc_debugframe.h allows less. */
#define WINDOW (1ull << 32)
#define FILES_MAX 65536

struct file {
	u64 id[2];
	struct uc_debugframe *frame; /* NULL: it has none */
};

struct uc_debugfiles {
	struct file *file;
	size_t nr;
};

struct uc_debugfiles *uc_debugfiles_new(void)
{
	return calloc(1, sizeof(struct uc_debugfiles));
}

void uc_debugfiles_free(struct uc_debugfiles *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nr; i++)
		uc_debugframe_close(d->file[i].frame);
	free(d->file);
	free(d);
}

/* The file's slot; a new one is opened. NULL: no memory, or too many. */
static struct file *find_file(struct uc_debugfiles *d, const struct uc_map *of, const char *path,
			      const char *root)
{
	struct file *f;
	char err[512];

	for (size_t i = 0; i < d->nr; i++)
		if (d->file[i].id[0] == of->id[0] && d->file[i].id[1] == of->id[1])
			return &d->file[i];
	if (d->nr == FILES_MAX)
		return NULL;
	f = reallocarray(d->file, d->nr + 1, sizeof(*f));
	if (!f)
		return NULL;
	d->file = f;
	f += d->nr++;
	*f = (struct file){ .id = { of->id[0], of->id[1] } };
	if (uc_debugframe_open(path, root, &f->frame, err, sizeof(err)))
		f->frame = NULL; /* most files have none: no news */
	return f;
}

int uc_debugfiles_find(struct uc_debugfiles *d, const struct uc_map *of, const char *path,
		       const char *root, u64 vaddr, struct uc_debug_fde *ret)
{
	const struct file *f = find_file(d, of, path, root);
	u64 offset;

	if (!f || !f->frame || !uc_debugframe_find(f->frame, vaddr, &offset))
		return -ENOENT;
	ret->lo = UC_DEBUGFILES_BASE + (u64)(f - d->file) * WINDOW;
	ret->hi = ret->lo + f->frame->section.size;
	ret->fde = ret->lo + offset;
	return 0;
}

int uc_debugfiles_read(const struct uc_debugfiles *d, u64 addr, void *dst, u32 len)
{
	u64 slot = (addr - UC_DEBUGFILES_BASE) / WINDOW, at = addr % WINDOW;
	const struct uc_debugframe *f;

	if (slot >= d->nr || !d->file[slot].frame)
		return -EFAULT;
	f = d->file[slot].frame;
	if (at > f->section.size || len > f->section.size - at)
		return -EFAULT;
	memcpy(dst, f->section.data + at, len);
	return 0;
}
