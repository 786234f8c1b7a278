/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call tree as text. Every line has its own share of all samples in a
 * column on the left; a line is indented only where the tree branches, so
 * that deep stacks stay readable.
 */
#define _GNU_SOURCE 1
#include "calltree.h"
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TREE_INDENT 14
/* Deeper branches are cut; they would be wider than they are readable. */
#define PREFIX_MAX 60
#define PREFIX_STEP 3

/* Nodes of one frame, below nodes that count as one. */
struct group {
	uint32_t frame;
	uint64_t weight;
	uint32_t *node; /* in the branch's array */
	size_t nr;
};

struct branch {
	uint32_t *node;
	struct group *group; /* heaviest first */
	size_t nr;
};

struct printer {
	const struct uc_calltree *t;
	const struct uc_tree_style *style;
	FILE *out;
	const uint64_t *weight; /* by node, instead of its total; or NULL */
	char prefix[PREFIX_MAX + PREFIX_STEP + 1];
	int err;
};

static double share(const struct printer *p, uint64_t weight)
{
	return uc_percent(weight, p->t->node[0].total);
}

static bool visible(const struct printer *p, uint64_t weight)
{
	return weight && share(p, weight) >= p->style->percent_limit;
}

static uint64_t weight_of(const struct printer *p, uint32_t node)
{
	return p->weight ? p->weight[node] : p->t->node[node].total;
}

static int by_frame(const void *a, const void *b, void *arg)
{
	const struct uc_calltree *t = arg;
	uint32_t x = t->node[*(const uint32_t *)a].frame, y = t->node[*(const uint32_t *)b].frame;

	return (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct group *x = a, *y = b;
	const struct uc_calltree *t = arg;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(t->frame[x->frame].label, t->frame[y->frame].label);
}

static int collect_children(const struct printer *p, const uint32_t *node, size_t nr,
			    struct branch *ret, size_t *ret_nr)
{
	const struct uc_tree_node *all = p->t->node;
	size_t i, count = 0;
	uint32_t child;

	for (i = 0; i < nr; i++)
		for (child = all[node[i]].child; child; child = all[child].sibling)
			count += weight_of(p, child) != 0;
	ret->node = malloc((count + 1) * sizeof(*ret->node));
	ret->group = malloc((count + 1) * sizeof(*ret->group));
	if (!ret->node || !ret->group)
		return -ENOMEM;
	for (i = 0, count = 0; i < nr; i++)
		for (child = all[node[i]].child; child; child = all[child].sibling)
			if (weight_of(p, child))
				ret->node[count++] = child;
	*ret_nr = count;
	return 0;
}

/* What is called from the nodes together; what is too light is left out. */
static int open_branch(const struct printer *p, const uint32_t *node, size_t nr,
		       struct branch *ret)
{
	size_t i, from, count;

	memset(ret, 0, sizeof(*ret));
	if (collect_children(p, node, nr, ret, &count))
		return -ENOMEM;
	qsort_r(ret->node, count, sizeof(*ret->node), by_frame, (void *)p->t);
	for (from = 0; from < count; from = i) {
		struct group *g = &ret->group[ret->nr];

		*g = (struct group){ .frame = p->t->node[ret->node[from]].frame,
				     .node = ret->node + from };
		for (i = from; i < count && p->t->node[ret->node[i]].frame == g->frame; i++)
			g->weight += weight_of(p, ret->node[i]);
		g->nr = i - from;
		ret->nr += visible(p, g->weight);
	}
	qsort_r(ret->group, ret->nr, sizeof(*ret->group), by_weight, (void *)p->t);
	return 0;
}

static void close_branch(struct branch *b)
{
	free(b->node);
	free(b->group);
}

/* Print @text, which is clean, in at most @room columns if the width is limited. */
static void put_cut(const struct printer *p, const char *text, int used)
{
	int room = p->style->width - used;

	if (p->style->width && (int)strlen(text) > (room > 20 ? room : 20))
		fprintf(p->out, "%.*s...", (room > 20 ? room : 20) - 3, text);
	else
		fputs(text, p->out);
}

/* The file is named where the line above was in another one. */
static void print_line(const struct printer *p, const struct group *g, const char *bullet,
		       const char *dso_above)
{
	const struct uc_tree_frame *f = &p->t->frame[g->frame];
	const char *dso = f->dso && (!dso_above || strcmp(f->dso, dso_above)) ? f->dso : NULL;
	char *text;

	fprintf(p->out, "%*s%6.2f%%  %s%s", TREE_INDENT, "", share(p, g->weight), p->prefix,
		bullet);
	/* "[ls+0x4a10]" names its file itself */
	if (!dso || (!f->name && f->start) ||
	    asprintf(&text, "%s (%s)", f->label, uc_base_name(dso)) < 0)
		text = strdup(f->label);
	if (text) {
		uc_clean_text(text);
		put_cut(p, text, TREE_INDENT + 9 + (int)(strlen(p->prefix) + strlen(bullet)));
	}
	free(text);
	fputc('\n', p->out);
}

static void print_below(struct printer *p, const uint32_t *node, size_t nr, const char *dso);

static void print_branches(struct printer *p, const struct branch *b, const char *dso)
{
	size_t len = strlen(p->prefix), i;

	if (len + PREFIX_STEP > PREFIX_MAX) {
		fprintf(p->out, "%*s         %s... deeper branches are not shown\n", TREE_INDENT,
			"", p->prefix);
		return;
	}
	for (i = 0; i < b->nr; i++) {
		const struct group *g = &b->group[i];
		bool last = i + 1 == b->nr;

		print_line(p, g, last ? "`- " : "|- ", dso);
		memcpy(p->prefix + len, last ? "   " : "|  ", PREFIX_STEP + 1);
		print_below(p, g->node, g->nr, p->t->frame[g->frame].dso);
		p->prefix[len] = '\0';
	}
}

/* Follow a chain downwards in a loop, and recurse where it branches only. */
static void print_below(struct printer *p, const uint32_t *node, size_t nr, const char *dso)
{
	struct branch above = { 0 }, b;

	while (!p->err) {
		p->err = open_branch(p, node, nr, &b);
		close_branch(&above);
		above = b;
		if (p->err || b.nr != 1)
			break;
		print_line(p, &b.group[0], "", dso);
		node = b.group[0].node;
		nr = b.group[0].nr;
		dso = p->t->frame[b.group[0].frame].dso;
	}
	if (!p->err)
		print_branches(p, &above, dso);
	close_branch(&above);
}

/* The way from the outermost frame to the entry: give each node above it the
 * part of the entry's own time that came through it. */
static void print_callers(struct printer *p, const struct uc_tree_entry *e, uint64_t *weight)
{
	const struct uc_tree_node *node = p->t->node;
	uint32_t at;
	size_t i;

	for (i = 0; i < e->nr_nodes; i++)
		for (at = e->node[i]; at; at = node[at].parent)
			weight[at] += node[e->node[i]].self;
	p->weight = weight;
	print_below(p, &e->comm, 1, NULL);
	for (i = 0; i < e->nr_nodes; i++)
		for (at = e->node[i]; at; at = node[at].parent)
			weight[at] = 0;
}

static uint64_t key_of(const struct printer *p, const struct uc_tree_entry *e)
{
	return p->style->children ? e->total : e->self;
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct uc_tree_entry *x = a, *y = b;
	const struct printer *p = arg;

	if (key_of(p, x) != key_of(p, y))
		return key_of(p, x) > key_of(p, y) ? -1 : 1;
	/* callers before what they call */
	return (x->order > y->order) - (x->order < y->order);
}

bool uc_in_list(const char *list, const char *name)
{
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (strlen(name) == len && !strncmp(list, name, len))
			return true;
		if (!list[len])
			return false;
	}
}

static bool wanted(const struct printer *p, const struct uc_tree_entry *e)
{
	const char *dso = p->t->frame[e->frame].dso;

	if (!visible(p, key_of(p, e)))
		return false;
	return !p->style->dso ||
	       (dso && (uc_in_list(p->style->dso, dso) ||
			uc_in_list(p->style->dso, uc_base_name(dso))));
}

static const char *object_of(const struct printer *p, const struct uc_tree_entry *e)
{
	const char *dso = p->t->frame[e->frame].dso;

	return dso ? uc_base_name(dso) : "-";
}

static void print_padded(const struct printer *p, const char *text, int width)
{
	uc_put_text(text, p->out);
	fprintf(p->out, "%*s  ", (int)strlen(text) < width ? width - (int)strlen(text) : 0, "");
}

static void print_entry(struct printer *p, const struct uc_tree_entry *e, int comm_width,
			int object_width)
{
	const char *comm = p->t->frame[p->t->node[e->comm].frame].label;

	fprintf(p->out, "%7.2f%%  %6.2f%%  ", share(p, e->total), share(p, e->self));
	print_padded(p, comm, comm_width);
	print_padded(p, object_of(p, e), object_width);
	put_cut(p, p->t->frame[e->frame].label, 19 + comm_width + 2 + object_width + 2);
	fputc('\n', p->out);
}

static void widen(int *width, const char *text)
{
	int len = (int)strnlen(text, 24);

	if (len > *width)
		*width = len;
}

static void print_entries(struct printer *p, const struct uc_tree_entries *e, uint64_t *weight)
{
	int comm_width = 7, object_width = 6;
	size_t i, hidden = 0;

	for (i = 0; i < e->nr; i++) {
		if (!wanted(p, &e->entry[i]))
			continue;
		widen(&comm_width, p->t->frame[p->t->node[e->entry[i].comm].frame].label);
		widen(&object_width, object_of(p, &e->entry[i]));
	}
	fprintf(p->out, "#\n#%7s  %7s  %-*s  %-*s  %s\n#\n", "total", "self", comm_width, "command",
		object_width, "object", "symbol");
	for (i = 0; i < e->nr && !p->err; i++) {
		const struct uc_tree_entry *entry = &e->entry[i];

		if (!wanted(p, entry)) {
			hidden++;
			continue;
		}
		print_entry(p, entry, comm_width, object_width);
		if (p->style->children)
			print_below(p, entry->node, entry->nr_nodes, p->t->frame[entry->frame].dso);
		else
			print_callers(p, entry, weight);
	}
	if (hidden)
		fprintf(p->out, "# %zu more %s below %g%%%s\n", hidden,
			hidden == 1 ? "symbol" : "symbols", p->style->percent_limit,
			p->style->dso ? " or in other files" : "");
}

int uc_print_tree(const struct uc_calltree *t, const struct uc_tree_style *style, FILE *out)
{
	struct printer p = { .t = t, .style = style, .out = out };
	uint64_t *weight = calloc(t->nr_nodes, sizeof(*weight));
	struct uc_tree_entries entries;

	if (!weight || uc_calltree_entries(t, !style->children, &entries)) {
		free(weight);
		return -ENOMEM;
	}
	if (entries.nr)
		qsort_r(entries.entry, entries.nr, sizeof(*entries.entry), by_key, &p);
	print_entries(&p, &entries, weight);
	uc_tree_entries_fini(&entries);
	free(weight);
	return p.err;
}
