/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE 1
#include "calltree.h"

#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables: open addressing, at most half full ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15;
	return hash ^ hash >> 32;
}

static uint64_t mix_string(uint64_t hash, const char *s)
{
	for (; s && *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
	return mix(hash, 0);
}

static bool same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void table_put(struct uc_tree_table *table, uint64_t hash, size_t index)
{
	size_t at = hash & (table->cap - 1);

	while (table->index[at])
		at = (at + 1) & (table->cap - 1);
	table->index[at] = (uint32_t)index + 1;
}

/* Replace the table by an empty one, twice as large. */
static int table_grow(struct uc_tree_table *table)
{
	size_t cap = table->cap ? 2 * table->cap : 1024;
	uint32_t *index = calloc(cap, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(table->index);
	table->index = index;
	table->cap = cap;
	return 0;
}

static int reserve(void *array, size_t nr, size_t *cap, size_t size)
{
	size_t want = *cap ? 2 * *cap : 64;
	void *grown;

	if (nr < *cap)
		return 0;
	if (nr >= UINT32_MAX - 1) /* indices have 32 bits */
		return -ENOMEM;
	grown = realloc(*(void **)array, want * size);
	if (!grown)
		return -ENOMEM;
	*(void **)array = grown;
	*cap = want;
	return 0;
}

/* ---- frames ---- */

/*
 * Functions without a name but with unwind data are told apart by where they
 * start; the address sampled says nothing to a reader, and splits functions.
 */
static char *make_label(const struct uc_tree_frame *f)
{
	char *label;

	if (f->name)
		label = strdup(f->name);
	else if (!f->start)
		label = strdup("[unknown]");
	else if (asprintf(&label, "[%s+0x%" PRIx64 "]", uc_base_name(f->dso), f->start) < 0)
		label = NULL;
	if (label)
		uc_clean_text(label);
	return label;
}

static int add_frame(struct uc_calltree *t, const struct uc_tree_frame *key, uint32_t *ret)
{
	struct uc_tree_frame *f;
	size_t i;

	if (reserve(&t->frame, t->nr_frames, &t->cap_frames, sizeof(*t->frame)))
		return -ENOMEM;
	if (2 * t->nr_frames >= t->frames.cap) {
		if (table_grow(&t->frames))
			return -ENOMEM;
		for (i = 0; i < t->nr_frames; i++)
			table_put(&t->frames, t->frame[i].hash, i);
	}
	f = &t->frame[t->nr_frames];
	*f = *key;
	f->label = make_label(key);
	if (!f->label)
		return -ENOMEM;
	table_put(&t->frames, f->hash, t->nr_frames);
	*ret = (uint32_t)t->nr_frames++;
	return 0;
}

/* Find or add; the strings must stay. */
static int get_frame(struct uc_calltree *t, const char *name, const char *dso, uint64_t start,
		     uint32_t *ret)
{
	struct uc_tree_frame key = { .name = name, .dso = dso, .start = name ? 0 : start };
	size_t at;

	key.hash = mix(mix_string(mix_string(0, name), dso), key.start);
	for (at = key.hash; t->frames.cap; at++) {
		uint32_t index = t->frames.index[at & (t->frames.cap - 1)];
		const struct uc_tree_frame *f = &t->frame[index - 1];

		if (!index)
			break;
		if (f->hash == key.hash && f->start == key.start && same_string(f->name, name) &&
		    same_string(f->dso, dso)) {
			*ret = index - 1;
			return 0;
		}
	}
	return add_frame(t, &key, ret);
}

/* ---- nodes ---- */

static uint64_t node_hash(uint32_t parent, uint32_t frame)
{
	return mix(mix(1, parent), frame);
}

static int add_node(struct uc_calltree *t, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	struct uc_tree_node *n;
	size_t i;

	if (reserve(&t->node, t->nr_nodes, &t->cap_nodes, sizeof(*t->node)))
		return -ENOMEM;
	if (2 * t->nr_nodes >= t->nodes.cap) {
		if (table_grow(&t->nodes))
			return -ENOMEM;
		for (i = 1; i < t->nr_nodes; i++)
			table_put(&t->nodes, node_hash(t->node[i].parent, t->node[i].frame), i);
	}
	n = &t->node[t->nr_nodes];
	*n = (struct uc_tree_node){
		.frame = frame,
		.parent = parent,
		.sibling = t->node[parent].child,
	};
	t->node[parent].child = (uint32_t)t->nr_nodes;
	table_put(&t->nodes, node_hash(parent, frame), t->nr_nodes);
	*ret = (uint32_t)t->nr_nodes++;
	return 0;
}

static int get_node(struct uc_calltree *t, uint32_t parent, uint32_t frame, uint32_t *ret)
{
	size_t at;

	for (at = node_hash(parent, frame); t->nodes.cap; at++) {
		uint32_t index = t->nodes.index[at & (t->nodes.cap - 1)];

		if (!index)
			break;
		if (t->node[index - 1].parent == parent && t->node[index - 1].frame == frame) {
			*ret = index - 1;
			return 0;
		}
	}
	return add_node(t, parent, frame, ret);
}

int uc_calltree_init(struct uc_calltree *t)
{
	memset(t, 0, sizeof(*t));
	t->node = calloc(1, sizeof(*t->node));
	if (!t->node)
		return -ENOMEM;
	t->nr_nodes = t->cap_nodes = 1;
	return 0;
}

void uc_calltree_fini(struct uc_calltree *t)
{
	size_t i;

	for (i = 0; i < t->nr_frames; i++)
		free(t->frame[i].label);
	free(t->frame);
	free(t->frames.index);
	free(t->node);
	free(t->nodes.index);
}

/* Go from *@node to its child of that frame. */
static int descend(struct uc_calltree *t, uint32_t *node, const char *name, const char *dso,
		   uint64_t start, uint64_t weight)
{
	uint32_t frame;

	if (get_frame(t, name, dso, start, &frame) || get_node(t, *node, frame, node))
		return -ENOMEM;
	t->node[*node].total += weight;
	return 0;
}

int uc_calltree_add(struct uc_calltree *t, const char *comm, const struct uc_frame *frame,
		    size_t nr, const char *mark, uint64_t weight)
{
	uint32_t node = 0;
	size_t i;

	t->node[0].total += weight;
	if (descend(t, &node, comm, NULL, 0, weight))
		return -ENOMEM;
	if (mark && descend(t, &node, mark, NULL, 0, weight))
		return -ENOMEM;
	for (i = nr; i-- > 0;) {
		const struct uc_symbol *sym = &frame[i].sym;

		if (descend(t, &node, sym->name, sym->dso, sym->start, weight))
			return -ENOMEM;
	}
	t->node[node].self += weight;
	return 0;
}

/* ---- entries ---- */

struct entry_builder {
	const struct uc_calltree *t;
	struct uc_tree_entries *out;
	bool self_nodes;
	uint32_t comm;
	uint32_t *entry_of; /* by frame: index + 1, of this command if not below first */
	size_t first; /* entry of this command */
	uint32_t *on_path; /* by frame: how often it is above the present node */
};

static int entry_for(struct entry_builder *b, uint32_t frame, struct uc_tree_entry **ret)
{
	struct uc_tree_entries *out = b->out;

	if (b->entry_of[frame] <= b->first) {
		if (reserve(&out->entry, out->nr, &out->cap, sizeof(*out->entry)))
			return -ENOMEM;
		out->entry[out->nr] = (struct uc_tree_entry){
			.comm = b->comm,
			.frame = frame,
			.order = (uint32_t)out->nr,
		};
		out->nr++;
		b->entry_of[frame] = (uint32_t)out->nr;
	}
	*ret = &out->entry[b->entry_of[frame] - 1];
	return 0;
}

static int enter_node(struct entry_builder *b, uint32_t index)
{
	const struct uc_tree_node *n = &b->t->node[index];
	bool outermost = !b->on_path[n->frame]++;
	struct uc_tree_entry *e;

	if (entry_for(b, n->frame, &e))
		return -ENOMEM;
	e->self += n->self;
	if (outermost)
		e->total += n->total;
	if (b->self_nodes ? !n->self : !outermost)
		return 0;
	if (reserve(&e->node, e->nr_nodes, &e->cap_nodes, sizeof(*e->node)))
		return -ENOMEM;
	e->node[e->nr_nodes++] = index;
	return 0;
}

/* Depth first, without recursion: stacks may be deep. */
static int walk_command(struct entry_builder *b)
{
	const struct uc_tree_node *node = b->t->node;
	uint32_t at = node[b->comm].child;

	b->first = b->out->nr;
	while (at) {
		if (enter_node(b, at))
			return -ENOMEM;
		if (node[at].child) {
			at = node[at].child;
			continue;
		}
		while (at != b->comm && !node[at].sibling) {
			b->on_path[node[at].frame]--;
			at = node[at].parent;
		}
		if (at == b->comm)
			break;
		b->on_path[node[at].frame]--;
		at = node[at].sibling;
	}
	return 0;
}

int uc_calltree_entries(const struct uc_calltree *t, bool self_nodes, struct uc_tree_entries *ret)
{
	struct entry_builder b = {
		.t = t,
		.out = ret,
		.self_nodes = self_nodes,
		.entry_of = calloc(t->nr_frames + 1, sizeof(uint32_t)),
		.on_path = calloc(t->nr_frames + 1, sizeof(uint32_t)),
	};
	int err = b.entry_of && b.on_path ? 0 : -ENOMEM;

	memset(ret, 0, sizeof(*ret));
	for (b.comm = t->node[0].child; b.comm && !err; b.comm = t->node[b.comm].sibling)
		err = walk_command(&b);
	free(b.entry_of);
	free(b.on_path);
	if (err)
		uc_tree_entries_fini(ret);
	return err;
}

void uc_tree_entries_fini(struct uc_tree_entries *e)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		free(e->entry[i].node);
	free(e->entry);
	memset(e, 0, sizeof(*e));
}
