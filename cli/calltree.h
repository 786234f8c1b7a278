/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks merged into one tree: commands below the root, below them the
 * outermost frames, and so on inwards.
 */
#ifndef UC_CALLTREE_H
#define UC_CALLTREE_H

#include "replay.h"

/* A function, a command, or a mark; equal ones are one. */
struct uc_tree_frame {
	char *label; /* as shown: "main", "[ls+0x4a10]", "[unknown]" */
	const char *dso; /* path; NULL: none */
	const char *name; /* NULL: has none */
	uint64_t start; /* of a function without a name */
	uint64_t hash;
};

struct uc_tree_node {
	uint32_t frame;
	uint32_t parent, child, sibling; /* nodes; 0: none */
	uint64_t total, self;
};

struct uc_tree_table {
	uint32_t *index; /* + 1; 0: free */
	size_t cap; /* a power of two */
};

struct uc_calltree {
	struct uc_tree_frame *frame;
	size_t nr_frames, cap_frames;
	struct uc_tree_table frames;
	struct uc_tree_node *node; /* node[0] is the root */
	size_t nr_nodes, cap_nodes;
	struct uc_tree_table nodes;
};

/* What one function of one command has taken. */
struct uc_tree_entry {
	uint32_t comm; /* node */
	uint32_t frame;
	uint32_t order; /* callers first */
	uint64_t self;
	uint64_t total; /* with what it called; recursion counts once */
	uint32_t *node; /* where it is: outermost ones, or those with self */
	size_t nr_nodes, cap_nodes;
};

struct uc_tree_entries {
	struct uc_tree_entry *entry;
	size_t nr, cap;
};

int uc_calltree_init(struct uc_calltree *t);
void uc_calltree_fini(struct uc_calltree *t);
/* Add a stack, innermost frame first. @mark, if not NULL, stands for frames
 * that are missing at its outer end. 0 or -ENOMEM. */
int uc_calltree_add(struct uc_calltree *t, const char *comm, const struct uc_frame *frame,
		    size_t nr, const char *mark, uint64_t weight);

/* All entries. @self_nodes: which nodes they list. 0 or -ENOMEM. */
int uc_calltree_entries(const struct uc_calltree *t, bool self_nodes, struct uc_tree_entries *ret);
void uc_tree_entries_fini(struct uc_tree_entries *e);

/* Options of the output. */
struct uc_tree_style {
	bool children; /* sort by total and show callees; or by self, with callers */
	double percent_limit;
	int width; /* columns; 0: no limit */
	const char *dso; /* entries of these files only, "a,b"; NULL: all */
};

/* 0 or -ENOMEM. */
int uc_print_tree(const struct uc_calltree *t, const struct uc_tree_style *style, FILE *out);
/* Is @name in @list, "a,b,c"? */
bool uc_in_list(const char *list, const char *name);

#endif
