/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the core asks of its world, in BPF: mappings and the row cache. */
#include "maps.bpf.h"
#include "uc_core.h"

static inline u64 uc_mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull; /* 2^64 / golden ratio */
	return h ^ h >> 29;
}

/*
 * The file's identity. Inode numbers are used again, and libraries are
 * rewritten in place: times, size and generation tell such files apart.
 */
static inline void uc_map_identify(struct uc_map *map, struct inode *inode)
{
	u64 h = uc_mix(0, inode->i_sb->s_dev);

	h = uc_mix(h, (u64)inode->i_mtime_sec);
	h = uc_mix(h, inode->i_mtime_nsec);
	h = uc_mix(h, (u64)inode->i_ctime_sec);
	h = uc_mix(h, inode->i_ctime_nsec);
	h = uc_mix(h, (u64)inode->i_size);
	h = uc_mix(h, inode->i_generation);
	map->id[0] = inode->i_ino;
	map->id[1] = h;
	map->flags |= UC_MAP_FILE;
}

/*
 * Bytes of a file mapping are the file's as long as the process has no page
 * of its own in it, and nobody has the file mapped for writing.
 */
static inline void uc_map_describe(struct uc_map *map, struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	map->start = vma->vm_start;
	map->end = vma->vm_end;
	map->off = vma->vm_pgoff << 12;
	map->id[0] = 0;
	map->id[1] = 0;
	map->flags = vma->vm_flags & VM_EXEC ? UC_MAP_EXEC : 0;
	if (file) {
		struct inode *inode = file->f_inode;

		uc_map_identify(map, inode);
		if (!vma->anon_vma && inode->i_mapping->i_mmap_writable.counter <= 0)
			map->flags |= UC_MAP_PRISTINE;
	} else if (vma->vm_mm->context.vdso == (void *)vma->vm_start) {
		map->off = 0;
		map->id[0] = (u64)vma->vm_mm->context.vdso_image;
		map->id[1] = 1;
		map->flags |= UC_MAP_VDSO | (vma->anon_vma ? 0 : UC_MAP_PRISTINE);
	}
}

static long uc_on_vma(struct task_struct *task, struct vm_area_struct *vma, struct uc_map *map)
{
	uc_map_describe(map, vma);
	return 0;
}

/*
 * bpf_find_vma() is quick, but busy while another thread changes mappings;
 * the iterator is not.
 */
UC_FN int uc_port_map(UC_WALK, u64 addr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_iter_task_vma it;
	struct vm_area_struct *vma;
	struct uc_map map = {};
	int rc;

	rc = (int)bpf_find_vma(task, addr, uc_on_vma, &map, 0);
	if (!rc) {
		w->found = map;
		return 0;
	}
	if (rc != -16) /* -EBUSY */
		return UNCOIL_STOP_NO_MAPPING;
	rc = UNCOIL_STOP_NO_MAPPING;
	bpf_iter_task_vma_new(&it, task, addr);
	vma = bpf_iter_task_vma_next(&it);
	if (vma && vma->vm_start <= addr) { /* or the next one above */
		uc_map_describe(&map, vma);
		w->found = map;
		rc = 0;
	}
	bpf_iter_task_vma_destroy(&it);
	return rc;
}

static inline int uc_found_is_start(struct uc_walk *w)
{
	return !w->found.off && w->found.id[0] == w->map.id[0] && w->found.id[1] == w->map.id[1];
}

/* Any mapping of the file's start will do: search them all. */
UC_FN_LOCAL int uc_port_elf_scan(UC_WALK)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bpf_iter_task_vma it;
	struct vm_area_struct *vma;
	int rc = UNCOIL_STOP_NO_SECTION;
	struct uc_map map = {};
	u32 i;

	bpf_iter_task_vma_new(&it, task, 0);
	UC_FOR(i, UC_MAPS_MAX)
	{
		vma = bpf_iter_task_vma_next(&it);
		if (!vma)
			break;
		if (vma->vm_pgoff || !vma->vm_file)
			continue;
		if (vma->vm_file->f_inode->i_ino != w->map.id[0])
			continue;
		uc_map_describe(&map, vma);
		w->found = map;
		if (uc_found_is_start(w)) {
			rc = 0;
			break;
		}
	}
	bpf_iter_task_vma_destroy(&it);
	return rc;
}

/* The ELF header's mapping: where most files have it, or wherever it is. */
UC_FN int uc_port_elf(UC_WALK)
{
	if (!w->map.off) {
		w->found = w->map;
		return 0;
	}
	if (w->map.off < w->map.start && !uc_port_map(w, w->map.start - w->map.off) &&
	    uc_found_is_start(w))
		return 0;
	return uc_port_elf_scan(w);
}

/* Five words, each times an odd number of its own: independent, so quick. */
static inline u64 uc_slot_check(const struct uc_row_slot *s)
{
	return 0x756e636f696cull ^ s->key.id[0] * 0x9e3779b97f4a7c15ull ^
	       s->key.id[1] * 0xc2b2ae3d27d4eb4full ^ s->key.off * 0x165667b19e3779f9ull ^
	       s->row[0] * 0x85ebca77c2b2ae63ull ^ s->row[1] * 0x27d4eb2f165667c5ull;
}

static inline struct uc_row_slot *uc_slot_of(struct uc_walk *w, u64 off)
{
	u32 at = (u32)(uc_mix(w->map.id[0] + w->map.id[1], off) >> (64 - UC_ROW_BITS));

	return bpf_map_lookup_elem(&rows, &at);
}

UC_FN int uc_port_row_get(UC_WALK, u64 off)
{
	struct uc_row_slot *slot = uc_slot_of(w, off), s;

	if (!slot || uc_options.no_row_cache)
		return 1;
	s = *(volatile struct uc_row_slot *)slot;
	if (s.key.off != off || s.key.id[0] != w->map.id[0] || s.key.id[1] != w->map.id[1] ||
	    s.check != uc_slot_check(&s))
		return 1;
	memcpy(&w->packed, s.row, sizeof(w->packed));
	return 0;
}

static inline int uc_still_pristine(struct uc_walk *w, u64 addr)
{
	if (uc_port_map(w, addr))
		return 0;
	return (w->found.flags & UC_MAP_PRISTINE) && w->found.id[0] == w->map.id[0] &&
	       w->found.id[1] == w->map.id[1];
}

static inline u64 uc_mm_seq(void)
{
	struct mm_struct *mm = bpf_get_current_task_btf()->mm;

	if (!mm || !bpf_core_field_exists(mm->mm_lock_seq.sequence))
		return 0;
	return mm->mm_lock_seq.sequence;
}

/*
 * May what was found out about the file be shared? The bytes that it comes from
 * were the file's when the walk looked at their mappings; that they still are,
 * and that no mapping has changed since, tells that they were when they were
 * read.
 */
static inline int uc_may_share(struct uc_walk *w)
{
	if (!w->map.id[0] || uc_mm_seq() != w->port.mm_seq)
		return 0;
	return (!w->mod.lo || uc_still_pristine(w, w->mod.lo)) &&
	       (!w->mod.sframe || uc_still_pristine(w, w->mod.sframe)) &&
	       (!w->mod.elf || uc_still_pristine(w, w->mod.elf)) &&
	       (!w->mod.hdr || uc_still_pristine(w, w->mod.hdr));
}

static inline struct uc_bad_key uc_bad_key_of(const struct uc_walk *w, u32 what)
{
	struct uc_bad_key key = { .id = { w->map.id[0], w->map.id[1] }, .what = what };

	return key;
}

UC_FN int uc_port_bad_get(UC_WALK, u32 what)
{
	struct uc_bad_key key = uc_bad_key_of(w, what);
	struct uc_bad *found = bpf_map_lookup_elem(&bad, &key);

	if (!found || !w->mod.pristine)
		return 0;
	return uc_malformed(w, found->flaw, found->at + w->map.start - w->map.off);
}

UC_FN int uc_port_bad_put(UC_WALK, u32 what)
{
	struct uc_bad_key key = uc_bad_key_of(w, what);
	struct uc_bad found = { .flaw = w->flaw,
				.at = w->stop_addr - w->map.start + w->map.off };

	if (!w->mod.pristine || w->impure || !uc_may_share(w))
		return 1;
	return (int)bpf_map_update_elem(&bad, &key, &found, BPF_ANY);
}

/* Share the row in w->packed. */
UC_FN int uc_port_row_put(UC_WALK, u64 off)
{
	struct uc_row_slot *slot = uc_slot_of(w, off), s = {};

	if (!slot || uc_options.no_row_cache || !uc_may_share(w))
		return 1;
	s.key.id[0] = w->map.id[0];
	s.key.id[1] = w->map.id[1];
	s.key.off = off;
	memcpy(s.row, &w->packed, sizeof(w->packed));
	s.check = uc_slot_check(&s);
	*(volatile struct uc_row_slot *)slot = s;
	return 0;
}
