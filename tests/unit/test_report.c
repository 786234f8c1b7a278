/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil report's sums and texts, from stacks that the tests make up. */
#define _GNU_SOURCE 1
#include "calltree.h"
#include "cli.h"
#include "summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "leaf caller ... root"; a name "lib:f" is in /usr/lib/lib, "?lib:12" has no
 * name but starts at 0x12. */
static void add(struct uc_calltree *t, const char *comm, const char *stack, const char *mark,
		uint64_t weight)
{
	static char text[16][256]; /* the tree borrows names */
	static size_t next;
	struct uc_frame frame[32] = { 0 };
	char *at = strcpy(text[next++ % 16], stack), *word, *colon;
	static char dso[64][64];
	static size_t next_dso;
	size_t nr = 0;

	while ((word = strsep(&at, " "))) {
		struct uc_symbol *sym = &frame[nr++].sym;

		colon = strchr(word, ':');
		*colon = '\0';
		snprintf(dso[next_dso % 64], sizeof(dso[0]), "/usr/lib/%s", word + (*word == '?'));
		sym->dso = dso[next_dso++ % 64];
		if (*word == '?')
			sym->start = strtoull(colon + 1, NULL, 16);
		else
			sym->name = colon + 1;
	}
	assert_int_equal(uc_calltree_add(t, comm, frame, nr, mark, weight), 0);
}

static const struct uc_tree_entry *find(const struct uc_calltree *t,
					const struct uc_tree_entries *e, const char *label)
{
	size_t i;

	for (i = 0; i < e->nr; i++)
		if (!strcmp(t->frame[e->entry[i].frame].label, label))
			return &e->entry[i];
	return NULL;
}

static void test_calltree__recursion_counts_once(void **state)
{
	struct uc_tree_entries e;
	struct uc_calltree t;

	(void)state;
	assert_int_equal(uc_calltree_init(&t), 0);
	add(&t, "p", "a:f a:g a:f a:main", NULL, 10);
	add(&t, "p", "a:g a:f a:main", NULL, 5);
	add(&t, "p", "a:main", NULL, 1);
	assert_int_equal(uc_calltree_entries(&t, false, &e), 0);
	assert_int_equal(e.nr, 3);
	assert_int_equal(find(&t, &e, "f")->total, 15);
	assert_int_equal(find(&t, &e, "f")->self, 10);
	assert_int_equal(find(&t, &e, "g")->total, 15);
	assert_int_equal(find(&t, &e, "g")->self, 5);
	assert_int_equal(find(&t, &e, "main")->total, 16);
	assert_int_equal(find(&t, &e, "main")->self, 1);
	uc_tree_entries_fini(&e);
	uc_calltree_fini(&t);
}

static void test_calltree__functions_are_apart_by_name_file_and_start(void **state)
{
	struct uc_tree_entries e;
	struct uc_calltree t;

	(void)state;
	assert_int_equal(uc_calltree_init(&t), 0);
	add(&t, "p", "a:f", NULL, 1);
	add(&t, "p", "b:f", NULL, 1);
	add(&t, "p", "?a:10", NULL, 1);
	add(&t, "p", "?a:20", NULL, 1);
	add(&t, "p", "?b:20", NULL, 1);
	add(&t, "p", "?a:0", NULL, 1);
	add(&t, "p", "?a:0", NULL, 1);
	add(&t, "q", "a:f", NULL, 1);
	assert_int_equal(uc_calltree_entries(&t, false, &e), 0);
	assert_int_equal(e.nr, 7);
	assert_non_null(find(&t, &e, "[a+0x10]"));
	assert_non_null(find(&t, &e, "[b+0x20]"));
	assert_int_equal(find(&t, &e, "[unknown]")->total, 2);
	uc_tree_entries_fini(&e);
	uc_calltree_fini(&t);
}

/* Many stacks against sums made the slow way; the tables must grow. */
static void test_calltree__sums_hold_for_many_stacks(void **state)
{
	uint64_t self[100] = { 0 }, all = 0, seed = 7;
	static char names[100][8];
	struct uc_tree_entries e;
	struct uc_calltree t;
	size_t i, j;

	(void)state;
	for (i = 0; i < 100; i++)
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
	assert_int_equal(uc_calltree_init(&t), 0);
	for (i = 0; i < 20000; i++) {
		struct uc_frame frame[8] = { 0 };

		for (j = 0; j < 8; j++) {
			seed = seed * 6364136223846793005 + 1442695040888963407;
			frame[j].sym.name = names[(seed >> 33) % 100];
			frame[j].sym.dso = "/x";
		}
		self[strtoul(frame[0].sym.name + 1, NULL, 10)] += i;
		all += i;
		assert_int_equal(uc_calltree_add(&t, "p", frame, 8, NULL, i), 0);
	}
	assert_int_equal(t.node[0].total, all);
	assert_int_equal(uc_calltree_entries(&t, true, &e), 0);
	assert_int_equal(e.nr, 100);
	for (i = 0; i < e.nr; i++) {
		const char *label = t.frame[e.entry[i].frame].label;

		assert_int_equal(e.entry[i].self, self[strtoul(label + 1, NULL, 10)]);
		assert_true(e.entry[i].total >= e.entry[i].self);
	}
	uc_tree_entries_fini(&e);
	uc_calltree_fini(&t);
}

static void assert_printed(const struct uc_calltree *t, const struct uc_tree_style *style,
			   const char *expected)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(uc_print_tree(t, style, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void fill(struct uc_calltree *t)
{
	assert_int_equal(uc_calltree_init(t), 0);
	add(t, "p", "libc:qsort a:sort a:main a:_start", NULL, 50);
	add(t, "p", "a:cmp libc:qsort a:sort a:main a:_start", NULL, 25);
	add(t, "p", "a:read a:main a:_start", NULL, 20);
	add(t, "p", "a:cmp", "[incomplete: no-entry]", 5);
}

static void test_tree__children_show_callees(void **state)
{
	struct uc_tree_style style = { .children = true, .percent_limit = 21 };
	struct uc_calltree t;

	(void)state;
	fill(&t);
	assert_printed(&t, &style,
		       "#\n"
		       "#  total     self  command  object  symbol\n"
		       "#\n"
		       "  95.00%    0.00%  p        a       _start\n"
		       "               95.00%  main\n"
		       "               75.00%  sort\n"
		       "               75.00%  qsort (libc)\n"
		       "               25.00%  cmp (a)\n"
		       "  95.00%    0.00%  p        a       main\n"
		       "               75.00%  sort\n"
		       "               75.00%  qsort (libc)\n"
		       "               25.00%  cmp (a)\n"
		       "  75.00%    0.00%  p        a       sort\n"
		       "               75.00%  qsort (libc)\n"
		       "               25.00%  cmp (a)\n"
		       "  75.00%   50.00%  p        libc    qsort\n"
		       "               25.00%  cmp (a)\n"
		       "  30.00%   30.00%  p        a       cmp\n"
		       "# 2 more symbols below 21%\n");
	uc_calltree_fini(&t);
}

static void test_tree__no_children_show_the_way_from_the_root(void **state)
{
	struct uc_tree_style style = { .percent_limit = 5, .dso = "x,a" };
	struct uc_calltree t;

	(void)state;
	fill(&t);
	assert_printed(&t, &style,
		       "#\n"
		       "#  total     self  command  object  symbol\n"
		       "#\n"
		       "  30.00%   30.00%  p        a       cmp\n"
		       "               25.00%  |- _start (a)\n"
		       "               25.00%  |  main\n"
		       "               25.00%  |  sort\n"
		       "               25.00%  |  qsort (libc)\n"
		       "               25.00%  |  cmp (a)\n"
		       "                5.00%  `- [incomplete: no-entry]\n"
		       "                5.00%     cmp (a)\n"
		       "  20.00%   20.00%  p        a       read\n"
		       "               20.00%  _start (a)\n"
		       "               20.00%  main\n"
		       "               20.00%  read\n"
		       "# 5 more symbols below 5% or in other files\n");
	uc_calltree_fini(&t);
}

static void test_tree__names_are_cut_and_cleaned(void **state)
{
	struct uc_tree_style style = { .children = true, .width = 60 };
	struct uc_calltree t;

	(void)state;
	assert_int_equal(uc_calltree_init(&t), 0);
	add(&t, "p\x1b[31m",
	    "a:evil\n\x1b[2J\xc2\x9b" "31mgh "
	    "a:std::a_name_that_is_much_too_long_for_the_screen_of_anybody", NULL, 1);
	assert_printed(&t, &style,
		       "#\n"
		       "#  total     self  command  object  symbol\n"
		       "#\n"
		       " 100.00%    0.00%  p?[31m   a       std::a_name_that_is_m...\n"
		       "              100.00%  evil??[2J??31mgh\n"
		       " 100.00%  100.00%  p?[31m   a       evil??[2J??31mgh\n");
	uc_calltree_fini(&t);
}

static void test_json__escapes_what_it_must(void **state)
{
	struct uc_loss loss[] = { { (char *)"a\"b\\\n\x01", 1 },
				  { (char *)"bad\xff\xc0\xafutf", 2 },
				  { (char *)"\xc3\xa4", 3 },
				  { (char *)"\xc3\xa4", 4 } };
	struct uc_summary s = {
		.samples = 10,
		.user_stacks = 9,
		.stop = { [UNCOIL_STOP_OUTERMOST] = 7, [UNCOIL_STOP_NO_ENTRY] = 2 },
		.loss = loss,
		.nr_losses = 4,
		.engine = (char *)"defer",
		.bytes_per_sample = 12.25,
	};
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	uc_print_json(&s, out);
	fclose(out);
	assert_string_equal(text,
			    "{\n"
			    "  \"samples\": 10,\n"
			    "  \"user_stacks\": 9,\n"
			    "  \"complete\": 7,\n"
			    "  \"stops\": {\"outermost\": 7, \"no-entry\": 2},\n"
			    "  \"lost\": {\"a\\\"b\\\\\\u000a\\u0001\": 1, "
			    "\"bad\\ufffd\\ufffd\\ufffdutf\": 2, \"\xc3\xa4\": 7},\n"
			    "  \"bytes_per_sample\": 12.2,\n"
			    "  \"engine\": \"defer\"\n"
			    "}\n");
	free(text);
}

static void test_text__lists_and_base_names(void **state)
{
	(void)state;
	assert_true(uc_in_list("a,b,c", "b"));
	assert_true(uc_in_list("a", "a"));
	assert_false(uc_in_list("ab,c", "a"));
	assert_false(uc_in_list("", "a"));
	assert_string_equal(uc_base_name("/usr/bin/ls"), "ls");
	assert_string_equal(uc_base_name("//anon"), "//anon");
	assert_string_equal(uc_base_name("[vdso]"), "[vdso]");
	assert_string_equal(uc_base_name("/"), "/");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calltree__recursion_counts_once),
		cmocka_unit_test(test_calltree__functions_are_apart_by_name_file_and_start),
		cmocka_unit_test(test_calltree__sums_hold_for_many_stacks),
		cmocka_unit_test(test_tree__children_show_callees),
		cmocka_unit_test(test_tree__no_children_show_the_way_from_the_root),
		cmocka_unit_test(test_tree__names_are_cut_and_cleaned),
		cmocka_unit_test(test_json__escapes_what_it_must),
		cmocka_unit_test(test_text__lists_and_base_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
