/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_symbols.h"

#include "uc_dso.h"
#include "uc_kallsyms.h"
#include "uc_maps.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#define BUILD_ID_MAX 20 /* bytes, in the records of the kernel */
#define DELETED " (deleted)"

/* Containers have other files under the same paths. */
struct root {
	dev_t dev;
	ino_t ino;
};

/* A path that processes mapped. Opened when the first address needs it. */
struct uc_file {
	const char *path;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len;
	struct root root; /* zeros: our own */
	bool opened;
	struct uc_dso *dso; /* NULL: no symbols */
};

struct process {
	uint32_t pid;
	bool root_known;
	struct root root;
	struct uc_maps *maps;
};

struct thread {
	uint32_t tid;
	const char *comm;
};

struct uc_symbols {
	void *files, *processes, *threads, *strings; /* trees of tsearch(3) */
	struct process *last_process; /* most look-ups go where the one before went */

	char *osrelease; /* of the recording, or NULL */
	uint64_t text_addr; /* of the recording, or 0 */
	struct uc_kallsyms *kallsyms;
	bool kallsyms_tried;
	uint64_t kernel_shift; /* running address - recorded address */

	void (*warn)(void *arg, const char *message);
	void *warn_arg;
};

__attribute__((format(printf, 2, 3))) static void warn(struct uc_symbols *s, const char *fmt, ...)
{
	char message[PATH_MAX + 256];
	va_list ap;

	if (!s->warn)
		return;
	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	s->warn(s->warn_arg, message);
}

/* ---- the trees ---- */

static int compare_strings(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int compare_processes(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int compare_files(const void *a, const void *b)
{
	const struct uc_file *x = a, *y = b;
	int cmp = strcmp(x->path, y->path);

	if (cmp)
		return cmp;
	if (x->root.dev != y->root.dev)
		return x->root.dev < y->root.dev ? -1 : 1;
	if (x->root.ino != y->root.ino)
		return x->root.ino < y->root.ino ? -1 : 1;
	if (x->build_id_len != y->build_id_len)
		return x->build_id_len < y->build_id_len ? -1 : 1;
	return memcmp(x->build_id, y->build_id, x->build_id_len);
}

static void *tree_find(void *const *tree, const void *key,
		       int (*compare)(const void *, const void *))
{
	void **node = tfind(key, tree, compare);

	return node ? *node : NULL;
}

/* Find what equals @key, or add a copy of its @size bytes. NULL: no memory. */
static void *tree_get(void **tree, const void *key, size_t size,
		      int (*compare)(const void *, const void *))
{
	void *found = tree_find(tree, key, compare);

	if (found)
		return found;
	found = malloc(size);
	if (!found)
		return NULL;
	memcpy(found, key, size);
	if (tsearch(found, tree, compare))
		return found;
	free(found);
	return NULL;
}

static const char *intern(struct uc_symbols *s, const char *string)
{
	return tree_get(&s->strings, string, strlen(string) + 1, compare_strings);
}

static struct process *find_process(struct uc_symbols *s, uint32_t pid)
{
	struct process key = { .pid = pid };

	if (!s->last_process || s->last_process->pid != pid)
		s->last_process = tree_find(&s->processes, &key, compare_processes);
	return s->last_process;
}

static struct process *get_process(struct uc_symbols *s, uint32_t pid)
{
	struct process key = { .pid = pid };

	return tree_get(&s->processes, &key, sizeof(key), compare_processes);
}

static const char *find_comm(struct uc_symbols *s, uint32_t tid)
{
	struct thread key = { .tid = tid }, *t = tree_find(&s->threads, &key, compare_threads);

	return t ? t->comm : NULL;
}

static int set_comm(struct uc_symbols *s, uint32_t tid, const char *comm)
{
	struct thread key = { .tid = tid }, *t;

	t = tree_get(&s->threads, &key, sizeof(key), compare_threads);
	if (!t)
		return -ENOMEM;
	t->comm = intern(s, comm);
	return t->comm ? 0 : -ENOMEM;
}

static void free_process(void *p)
{
	struct process *process = p;

	uc_maps_put(process->maps);
	free(process);
}

static void free_file(void *p)
{
	struct uc_file *file = p;

	uc_dso_free(file->dso);
	free(file);
}

int uc_symbols_new(struct uc_symbols **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void uc_symbols_free(struct uc_symbols *s)
{
	if (!s)
		return;
	tdestroy(s->processes, free_process);
	tdestroy(s->threads, free);
	tdestroy(s->files, free_file);
	tdestroy(s->strings, free);
	uc_kallsyms_free(s->kallsyms);
	free(s->osrelease);
	free(s);
}

void uc_symbols_on_warning(struct uc_symbols *s, void (*fn)(void *arg, const char *message),
			   void *arg)
{
	s->warn = fn;
	s->warn_arg = arg;
}

/* ---- process events ---- */

/* The root of a process that still lives, if it is not ours. A process that
 * is gone cannot tell; its files are looked for under our root. */
static void find_root(struct process *p)
{
	char path[sizeof("/proc//root/") + 10];
	struct stat ours, its;

	if (p->root_known)
		return;
	p->root_known = true;
	snprintf(path, sizeof(path), "/proc/%u/root/", p->pid);
	if (stat(path, &its) || stat("/", &ours))
		return;
	if (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino)
		p->root = (struct root){ its.st_dev, its.st_ino };
}

static struct uc_file *get_file(struct uc_symbols *s, const char *path, const struct root *root,
				const uint8_t *build_id, size_t build_id_len)
{
	struct uc_file key = { .path = intern(s, *path ? path : "//anon"), .root = *root };

	if (!key.path)
		return NULL;
	if (build_id_len > BUILD_ID_MAX)
		build_id_len = BUILD_ID_MAX;
	if (build_id_len)
		memcpy(key.build_id, build_id, build_id_len);
	key.build_id_len = build_id_len;
	return tree_get(&s->files, &key, sizeof(key), compare_files);
}

int uc_symbols_map(struct uc_symbols *s, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
		   const char *path, const uint8_t *build_id, size_t build_id_len)
{
	struct uc_mapping map = { .start = addr, .end = addr + len, .pgoff = pgoff };
	struct process *p;

	if (map.end <= addr)
		return 0; /* empty, or nonsense: holds no address */
	p = get_process(s, pid);
	if (!p)
		return -ENOMEM;
	find_root(p);
	map.file = get_file(s, path, &p->root, build_id, build_id_len);
	return map.file ? uc_maps_insert(&p->maps, &map) : -ENOMEM;
}

int uc_symbols_comm(struct uc_symbols *s, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	struct process *p = exec ? find_process(s, pid) : NULL;

	if (p) {
		uc_maps_put(p->maps);
		p->maps = NULL;
		/* containers change their root, then exec */
		p->root = (struct root){ 0 };
		p->root_known = false;
	}
	return set_comm(s, tid, comm);
}

int uc_symbols_fork(struct uc_symbols *s, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	const char *comm = uc_symbols_comm_of(s, ppid, ptid);
	struct process *parent = find_process(s, ppid), *p;

	if (!comm)
		return -ENOMEM;
	if (pid != ppid && parent) {
		p = get_process(s, pid);
		if (!p)
			return -ENOMEM;
		uc_maps_put(p->maps); /* of one that had the number before */
		p->maps = uc_maps_get(parent->maps);
		p->root = parent->root;
		p->root_known = parent->root_known;
	}
	return set_comm(s, tid, comm);
}

const char *uc_symbols_comm_of(struct uc_symbols *s, uint32_t pid, uint32_t tid)
{
	const char *comm = find_comm(s, tid);
	char number[16];

	if (!comm)
		comm = find_comm(s, pid);
	if (comm)
		return comm;
	snprintf(number, sizeof(number), ":%d", (int)tid);
	return intern(s, number);
}

/* "start-end perms pgoff dev inode   path" */
static int load_line(struct uc_symbols *s, uint32_t pid, char *line)
{
	unsigned long long start, end, pgoff;
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &end, &pgoff, &path) < 3 || !path)
		return 0;
	return uc_symbols_map(s, pid, start, end - start, pgoff, line + path, NULL, 0);
}

int uc_symbols_load_proc(struct uc_symbols *s, uint32_t pid)
{
	char path[sizeof("/proc//maps") + 10], *line = NULL;
	size_t cap = 0;
	int err = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!err && getline(&line, &cap, f) > 0)
		err = load_line(s, pid, line);
	if (!err && ferror(f))
		err = -EIO;
	free(line);
	fclose(f);
	return err;
}

/* ---- files ---- */

static bool same_kernel(const struct uc_symbols *s)
{
	struct utsname uts;

	return !s->osrelease || (!uname(&uts) && !strcmp(uts.release, s->osrelease));
}

static bool is_vdso(const struct uc_file *file)
{
	return !strcmp(file->path, "[vdso]");
}

/* Our own vdso is not that of 32-bit processes, whose addresses end at 4 GiB. */
static bool is_compat_vdso(const struct uc_mapping *map)
{
	return sizeof(long) == 8 && map->start <= UINT32_MAX && is_vdso(map->file);
}

static bool is_deleted(const char *path)
{
	size_t len = strlen(path);

	return len > strlen(DELETED) && !strcmp(path + len - strlen(DELETED), DELETED);
}

/*
 * Where the file may be, best first; at most three paths. Of a live process
 * the kernel still has the very file that is mapped, wherever it was. Our own
 * file at the path of another root's is the same only if its build id is.
 */
static size_t candidates(const struct uc_file *file, uint32_t pid, const struct uc_mapping *map,
			 char path[3][PATH_MAX])
{
	bool foreign = file->root.dev || file->root.ino;
	size_t nr = 0;

	if (file->path[0] != '/' || file->path[1] == '/')
		return 0;
	if (foreign || is_deleted(file->path))
		nr += snprintf(path[nr], PATH_MAX, "/proc/%u/map_files/%llx-%llx", pid,
			       (unsigned long long)map->start, (unsigned long long)map->end) > 0;
	if (!foreign)
		nr += snprintf(path[nr], PATH_MAX, "%s", file->path) < PATH_MAX;
	nr += snprintf(path[nr], PATH_MAX, "/proc/%u/root%s", pid, file->path) < PATH_MAX;
	if (foreign && file->build_id_len)
		nr += snprintf(path[nr], PATH_MAX, "%s", file->path) < PATH_MAX;
	return nr;
}

static int open_file(struct uc_file *file, uint32_t pid, const struct uc_mapping *map)
{
	char path[3][PATH_MAX];
	size_t i, nr = candidates(file, pid, map, path);
	bool stale = false;
	int err = -ENOENT;

	for (i = 0; i < nr; i++) {
		err = uc_dso_open(path[i], file->build_id, file->build_id_len, &file->dso);
		if (!err)
			return 0;
		stale |= err == -ESTALE;
	}
	return stale ? -ESTALE : err;
}

static int open_vdso(const struct uc_symbols *s, struct uc_file *file)
{
	if (!same_kernel(s))
		return -ENOENT;
	return uc_dso_open_vdso(file->build_id, file->build_id_len, &file->dso);
}

static struct uc_dso *dso_of(struct uc_symbols *s, uint32_t pid, const struct uc_mapping *map)
{
	struct uc_file *file = map->file;
	int err;

	if (is_compat_vdso(map))
		return NULL;
	if (file->opened)
		return file->dso;
	file->opened = true;
	if (is_vdso(file))
		err = open_vdso(s, file);
	else
		err = open_file(file, pid, map);
	if (err == -ESTALE)
		warn(s, "%s: not the file that was recorded (build ids differ); no symbols from it",
		     file->path);
	return file->dso;
}

/* ---- look-ups ---- */

/* Name @vaddr; a return address is looked up inside its call instruction. */
static void name_address(struct uc_dso *dso, uint64_t vaddr, bool call_return,
			 struct uc_symbol *ret)
{
	struct uc_dso_symbol sym, next;

	ret->dso_addr = vaddr;
	uc_dso_find(dso, vaddr - call_return, &sym);
	/* A handler returns to the trampoline's first instruction: no call before it. */
	if (call_return && (!sym.name || vaddr >= sym.end) && uc_dso_find(dso, vaddr, &next) &&
	    next.trampoline)
		sym = next;
	ret->name = sym.name;
	ret->start = sym.start;
	ret->offset = sym.start ? vaddr - sym.start : 0;
	ret->trampoline = sym.trampoline;
}

static const struct uc_mapping *map_at(struct process *p, uint64_t addr)
{
	size_t i;

	if (!p || !p->maps)
		return NULL;
	i = uc_maps_find(p->maps, addr);
	if (i == p->maps->nr || p->maps->map[i].start > addr)
		return NULL;
	return &p->maps->map[i];
}

void uc_symbols_user(struct uc_symbols *s, uint32_t pid, uint64_t addr, bool call_return,
		     struct uc_symbol *ret)
{
	uint64_t probe = addr - call_return, vaddr;
	const struct uc_mapping *map = map_at(find_process(s, pid), probe);
	struct uc_dso *dso;

	memset(ret, 0, sizeof(*ret));
	if (!map)
		return;
	ret->dso = map->file->path;
	dso = dso_of(s, pid, map);
	if (dso && uc_dso_vaddr(dso, probe - map->start + map->pgoff, &vaddr))
		name_address(dso, vaddr + call_return, call_return, ret);
}

/* Is @addr in the image of the file that @map is a part of? */
static bool in_image(struct uc_symbols *s, uint32_t pid, const struct uc_mapping *map, uint64_t addr,
		     struct uc_symbol *ret)
{
	struct uc_dso *dso = dso_of(s, pid, map);
	uint64_t bias, start, end;

	if (!dso || !uc_dso_bias(dso, map->start, map->end - map->start, map->pgoff, &bias))
		return false;
	uc_dso_extent(dso, &start, &end);
	if (addr - bias < start || addr - bias >= end)
		return false;
	ret->dso = map->file->path;
	name_address(dso, addr - bias, false, ret);
	return true;
}

void uc_symbols_data(struct uc_symbols *s, uint32_t pid, uint64_t addr, struct uc_symbol *ret)
{
	struct process *p = find_process(s, pid);
	size_t i;

	uc_symbols_user(s, pid, addr, false, ret);
	if (ret->dso || !p || !p->maps)
		return;
	i = uc_maps_find(p->maps, addr);
	if (i > 0 && in_image(s, pid, &p->maps->map[i - 1], addr, ret))
		return;
	if (i < p->maps->nr)
		in_image(s, pid, &p->maps->map[i], addr, ret);
}

/* ---- the kernel ---- */

void uc_symbols_kernel(struct uc_symbols *s, uint64_t text_addr, const char *osrelease)
{
	free(s->osrelease);
	s->osrelease = osrelease ? strdup(osrelease) : NULL;
	s->text_addr = text_addr;
}

static void load_kallsyms(struct uc_symbols *s)
{
	int err;

	s->kallsyms_tried = true;
	if (!same_kernel(s)) {
		warn(s, "recorded on kernel %s, which is not running here; no kernel symbols",
		     s->osrelease);
		return;
	}
	err = uc_kallsyms_read("/proc/kallsyms", &s->kallsyms);
	if (err == -EPERM)
		warn(s, "/proc/kallsyms hides addresses (sysctl kernel.kptr_restrict, "
			"CAP_SYSLOG); no kernel symbols");
	else if (err)
		warn(s, "/proc/kallsyms: %s; no kernel symbols", strerror(-err));
	else if (s->text_addr && uc_kallsyms_text(s->kallsyms))
		s->kernel_shift = uc_kallsyms_text(s->kallsyms) - s->text_addr;
}

void uc_symbols_kernel_lookup(struct uc_symbols *s, uint64_t addr, bool call_return,
			      struct uc_symbol *ret)
{
	struct uc_kallsyms_symbol sym;

	*ret = (struct uc_symbol){ .dso = "[kernel.kallsyms]", .dso_addr = addr };
	if (!s->kallsyms_tried)
		load_kallsyms(s);
	if (!s->kallsyms ||
	    !uc_kallsyms_find(s->kallsyms, addr - call_return + s->kernel_shift, &sym))
		return;
	if (sym.module) {
		/* another boot has its modules elsewhere */
		if (s->kernel_shift)
			return;
		ret->dso = sym.module;
	}
	ret->name = sym.name;
	ret->start = sym.start - s->kernel_shift;
	ret->offset = addr - ret->start;
}
