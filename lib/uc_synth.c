/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#define _GNU_SOURCE 1
#include "uc_synth.h"

#include "uc_perfdata.h"
#include "uc_port.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PHDRS_MAX 128
#define NOTES_MAX 16384
#define CACHE_SLOTS 1024 /* files whose build id is remembered; power of two */
#define DEVS_MAX 64 /* file systems judged once */

struct file_id {
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

struct cached_build_id {
	struct file_id file;
	uint8_t size; /* 0: it has none */
	uint8_t id[UC_BUILD_ID_MAX];
};

struct judged_dev {
	uint32_t dev_major, dev_minor;
	bool local;
};

struct synth {
	uc_record_fn fn;
	void *arg;
	struct cached_build_id cache[CACHE_SLOTS];
	struct judged_dev devs[DEVS_MAX];
	size_t nr_devs;
};

/* ---- making records ---- */

struct record {
	union {
		struct perf_event_header header;
		uint64_t word[UC_RECORD_MAX / sizeof(uint64_t) / 8];
		uint8_t byte[UC_RECORD_MAX / 8];
	};
	size_t size;
};

/* Path of the longest mapping, fixed fields and trailer. */
UC_STATIC_ASSERT(sizeof(((struct record *)0)->byte) >= PATH_MAX + 256);

static void record_start(struct record *r, uint32_t type, uint16_t misc)
{
	r->header.type = type;
	r->header.misc = misc;
	r->size = sizeof(r->header);
}

static void record_add(struct record *r, const void *data, size_t size)
{
	memcpy(r->byte + r->size, data, size);
	r->size += size;
}

/* NUL-terminated, cut off at PATH_MAX as the kernel does, padded to words. */
static void record_add_name(struct record *r, const char *name, size_t len)
{
	if (len > PATH_MAX - 1)
		len = PATH_MAX - 1;
	record_add(r, name, len);
	do
		r->byte[r->size++] = 0;
	while (r->size % sizeof(uint64_t));
}

static int record_deliver(struct synth *s, struct record *r, pid_t pid, pid_t tid)
{
	struct {
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, pad;
	} trailer = { .pid = (uint32_t)pid, .tid = (uint32_t)tid };

	record_add(r, &trailer, sizeof(trailer));
	r->header.size = (uint16_t)r->size;
	return s->fn(s->arg, &r->header);
}

static int deliver_comm(struct synth *s, pid_t pid, pid_t tid, const char *comm, size_t len)
{
	uint32_t ids[2] = { (uint32_t)pid, (uint32_t)tid };
	struct record r;

	record_start(&r, PERF_RECORD_COMM, 0);
	record_add(&r, ids, sizeof(ids));
	record_add_name(&r, comm, len);
	return record_deliver(s, &r, pid, tid);
}

static int deliver_mmap2(struct synth *s, pid_t pid, const struct uc_proc_map *map,
			 const char *name, const struct cached_build_id *id)
{
	struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		union {
			struct {
				uint32_t maj, min;
				uint64_t ino, ino_generation;
			};
			struct {
				uint8_t build_id_size, pad[3];
				uint8_t build_id[UC_BUILD_ID_MAX];
			};
		};
		uint32_t prot, flags;
	} body = { .pid = (uint32_t)pid, .tid = (uint32_t)pid };
	uint16_t misc = PERF_RECORD_MISC_USER;
	struct record r;

	body.addr = map->start;
	body.len = map->end - map->start;
	body.pgoff = map->pgoff;
	body.prot = map->prot;
	body.flags = map->flags;
	if (id && id->size) {
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		body.build_id_size = id->size;
		memcpy(body.build_id, id->id, id->size);
	} else {
		body.maj = map->dev_major;
		body.min = map->dev_minor;
		body.ino = map->inode;
	}
	record_start(&r, PERF_RECORD_MMAP2, misc);
	record_add(&r, &body, sizeof(body));
	record_add_name(&r, name, strlen(name));
	return record_deliver(s, &r, pid, pid);
}

/* ---- build ids ---- */

static bool note_build_id(const uint8_t *notes, size_t size, size_t align,
			  uint8_t ret[UC_BUILD_ID_MAX], size_t *ret_size)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		size_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > size - name)
			return false;
		desc = (name + note.n_namesz + align - 1) & ~(align - 1);
		if (desc > size || note.n_descsz > size - desc)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= UC_BUILD_ID_MAX) {
			memcpy(ret, notes + desc, note.n_descsz);
			*ret_size = note.n_descsz;
			return true;
		}
		at = (desc + note.n_descsz + align - 1) & ~(align - 1);
		if (at > size)
			return false;
	}
	return false;
}

static bool read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, buf, size, (off_t)offset) == (ssize_t)size;
}

struct segment {
	uint32_t type;
	uint64_t offset, size, align;
};

static bool read_segment(int fd, bool is64, uint64_t at, struct segment *ret)
{
	Elf64_Phdr p64;
	Elf32_Phdr p32;

	if (is64) {
		if (!read_at(fd, &p64, sizeof(p64), at))
			return false;
		*ret = (struct segment){ p64.p_type, p64.p_offset, p64.p_filesz, p64.p_align };
		return true;
	}
	if (!read_at(fd, &p32, sizeof(p32), at))
		return false;
	*ret = (struct segment){ p32.p_type, p32.p_offset, p32.p_filesz, p32.p_align };
	return true;
}

size_t uc_elf_build_id(int fd, uint8_t ret[UC_BUILD_ID_MAX])
{
	const uint16_t one = 1;
	uint8_t notes[NOTES_MAX], native = *(const uint8_t *)&one ? ELFDATA2LSB : ELFDATA2MSB;
	union {
		uint8_t ident[EI_NIDENT];
		Elf64_Ehdr e64;
		Elf32_Ehdr e32;
	} head = { 0 };
	uint64_t phoff, entry;
	size_t nr, size;
	bool is64;

	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.ident, ELFMAG, SELFMAG) ||
	    head.ident[EI_DATA] != native)
		return 0;
	is64 = head.ident[EI_CLASS] == ELFCLASS64;
	phoff = is64 ? head.e64.e_phoff : head.e32.e_phoff;
	nr = is64 ? head.e64.e_phnum : head.e32.e_phnum;
	entry = is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	if (nr > PHDRS_MAX || phoff > INT64_MAX / 2)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		struct segment seg;

		if (!read_segment(fd, is64, phoff + i * entry, &seg))
			return 0;
		if (seg.type != PT_NOTE || seg.size > sizeof(notes) ||
		    !read_at(fd, notes, seg.size, seg.offset))
			continue;
		if (note_build_id(notes, seg.size, seg.align == 8 ? 8 : 4, ret, &size))
			return size;
	}
	return 0;
}

/* File systems on this machine's own disks or memory. Reading from any other
 * (FUSE, network) may hang, or wake up somebody else's program. */
static bool fs_is_local(const char *type)
{
	static const char *const local[] = {
		"ext2", "ext3",  "ext4",     "xfs",   "btrfs", "bcachefs", "f2fs",   "zfs",
		"vfat", "exfat", "squashfs", "erofs", "tmpfs", "ramfs",    "rootfs", "overlay",
		"ntfs3", "iso9660", "jfs",   "ubifs", "nilfs2",
	};

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!strcmp(type, local[i]))
			return true;
	return false;
}

/* Line of mountinfo: "36 35 98:0 ROOT MOUNTPOINT OPTIONS... - TYPE SOURCE OPTIONS",
 * spaces inside of fields escaped. */
static bool mount_is_local(const char *line, uint32_t dev_major, uint32_t dev_minor)
{
	unsigned int maj, min;
	const char *dash;
	char type[32];

	if (sscanf(line, "%*d %*d %u:%u ", &maj, &min) != 2 || maj != dev_major ||
	    min != dev_minor)
		return false;
	dash = strstr(line, " - ");
	return dash && sscanf(dash, " - %31s", type) == 1 && fs_is_local(type);
}

static bool look_up_dev(pid_t pid, uint32_t dev_major, uint32_t dev_minor)
{
	char path[64], *line = NULL;
	bool local = false;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!local && getline(&line, &cap, f) > 0)
		local = mount_is_local(line, dev_major, dev_minor);
	free(line);
	fclose(f);
	return local;
}

static bool dev_is_local(struct synth *s, pid_t pid, const struct uc_proc_map *map)
{
	struct judged_dev *dev;

	for (size_t i = 0; i < s->nr_devs; i++)
		if (s->devs[i].dev_major == map->dev_major &&
		    s->devs[i].dev_minor == map->dev_minor)
			return s->devs[i].local;
	if (s->nr_devs == DEVS_MAX)
		return false;
	dev = &s->devs[s->nr_devs++];
	dev->dev_major = map->dev_major;
	dev->dev_minor = map->dev_minor;
	dev->local = look_up_dev(pid, map->dev_major, map->dev_minor);
	return dev->local;
}

/* The link in map_files leads to the very file, renamed or deleted, in
 * whichever mount namespace; but only with CAP_CHECKPOINT_RESTORE. */
static int open_mapped(pid_t pid, const struct uc_proc_map *map)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int handle, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)map->start, (unsigned long long)map->end);
	handle = open(path, O_PATH | O_CLOEXEC);
	if (handle < 0) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
		handle = open(path, O_PATH | O_CLOEXEC);
		if (handle < 0)
			return -1;
	}
	/* Opening a device can do things, and a path can change its meaning
	 * between two calls: look at what is held first, then open just that. */
	if (!fstat(handle, &st) && S_ISREG(st.st_mode) && st.st_ino == map->inode) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	close(handle);
	return fd;
}

static const struct cached_build_id *map_build_id(struct synth *s, pid_t pid,
						  const struct uc_proc_map *map)
{
	struct cached_build_id *slot = &s->cache[map->inode & (CACHE_SLOTS - 1)];
	int fd;

	if (slot->file.inode == map->inode && slot->file.dev_major == map->dev_major &&
	    slot->file.dev_minor == map->dev_minor)
		return slot;
	if (map->path[0] != '/' || !dev_is_local(s, pid, map))
		return NULL;
	fd = open_mapped(pid, map);
	if (fd < 0)
		return NULL;
	slot->file = (struct file_id){ map->dev_major, map->dev_minor, map->inode };
	slot->size = (uint8_t)uc_elf_build_id(fd, slot->id);
	close(fd);
	return slot;
}

/* ---- /proc/PID/maps ---- */

/* The name by which the kernel's own MMAP2 record would call the mapping. */
static const char *map_name(pid_t pid, const struct uc_proc_map *map, char buf[PATH_MAX])
{
	char link[96];
	ssize_t len;

	if (!map->path[0] || !strncmp(map->path, "[anon", 5))
		return "//anon";
	if (!map->escaped)
		return map->path;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", (int)pid,
		 (unsigned long long)map->start, (unsigned long long)map->end);
	len = readlink(link, buf, PATH_MAX - 1);
	if (len <= 0)
		return map->path;
	buf[len] = '\0';
	return buf;
}

struct mapped {
	struct synth *s;
	pid_t pid;
};

static int synth_map(const struct uc_proc_map *map, void *arg)
{
	struct mapped *m = arg;
	char path[PATH_MAX];

	if (!(map->prot & PROT_EXEC))
		return 0;
	return deliver_mmap2(m->s, m->pid, map, map_name(m->pid, map, path),
			     map->inode ? map_build_id(m->s, m->pid, map) : NULL);
}

static int synth_maps(struct synth *s, pid_t pid)
{
	struct mapped m = { s, pid };
	int rc = uc_proc_maps_each(pid, synth_map, &m);

	/* a process that is gone has no mappings */
	return rc == -ENOENT || rc == -ESRCH || rc == -EACCES || rc == -EPERM ? 0 : rc;
}

/* ---- processes ---- */

static int synth_comm(struct synth *s, pid_t pid, pid_t tid)
{
	char path[64], comm[80]; /* kernel workers have up to 64 */
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, comm, sizeof(comm));
	close(fd);
	if (len <= 0)
		return 0;
	/* Only the last newline is the file's; the name may have some itself. */
	if (comm[len - 1] == '\n')
		len--;
	return deliver_comm(s, pid, tid, comm, (size_t)len);
}

static int synth_process(struct synth *s, pid_t pid)
{
	struct uc_ids threads = { 0 };
	int rc = uc_target_threads(pid, &threads);

	if (rc) {
		uc_ids_fini(&threads);
		return rc == -ENOMEM ? rc : 0;
	}
	/* The first thread is the process: readers that meet another thread
	 * first would have to guess. */
	rc = synth_comm(s, pid, pid);
	for (size_t i = 0; !rc && i < threads.nr; i++)
		if (threads.id[i] != pid)
			rc = synth_comm(s, pid, threads.id[i]);
	uc_ids_fini(&threads);
	return rc ? rc : synth_maps(s, pid);
}

static int list_processes(struct uc_ids *ret)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");
	int rc = 0;

	if (!dir)
		return -errno;
	while (!rc && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			rc = uc_ids_add(ret, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(dir);
	return rc;
}

static int target_processes(const struct uc_target *target, struct uc_ids *ret)
{
	int rc = 0;

	if (target->kind == UC_TARGET_COMMAND)
		return 0; /* its exec will tell */
	if (target->kind == UC_TARGET_SYSTEM)
		rc = list_processes(ret);
	for (size_t i = 0; !rc && i < target->nr_ids; i++) {
		pid_t pid = uc_target_process_of(target->ids[i]);

		if (pid > 0)
			rc = uc_ids_add(ret, pid);
	}
	uc_ids_sort(ret);
	return rc;
}

int uc_synth_processes(const struct uc_target *target, uc_record_fn fn, void *arg)
{
	struct synth *s = calloc(1, sizeof(*s));
	struct uc_ids pids = { 0 };
	int rc;

	if (!s)
		return -ENOMEM;
	s->fn = fn;
	s->arg = arg;
	rc = target_processes(target, &pids);
	for (size_t i = 0; !rc && i < pids.nr; i++)
		rc = synth_process(s, pids.id[i]);
	uc_ids_fini(&pids);
	free(s);
	return rc;
}
