/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uncoil rows: what a file's unwind data says, function by function and address
 * by address, as the core decodes it.
 */
#define _GNU_SOURCE 1
#include "cli.h"
#include "out_rows.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_FLAWED 1 /* or nothing covers what --at says */
#define EXIT_UNREADABLE 2

struct rows {
	const char *path, *at_text;
	int source; /* enum uc_rows_source, or -1: the first that there is */
	bool no_symbols;
	const struct rows_form *form;
	struct uc_image *img;
	struct rows_out out;
	/* --at */
	bool has_at, is_whole; /* the function's rows are wanted, not one */
	uint64_t at;

	bool is_begun; /* output */
	bool is_wanted; /* the function at hand */
	uint64_t fde; /* its offset */
	uint64_t nr_functions, nr_flaws;
};

static const struct {
	const char *name;
	enum uc_image_section_id section;
} sources[] = {
	[UC_ROWS_EHFRAME] = { "ehframe", UC_IMAGE_EH_FRAME },
	[UC_ROWS_SFRAME] = { "sframe", UC_IMAGE_SFRAME },
	[UC_ROWS_DEBUGFRAME] = { "debugframe", UC_IMAGE_DEBUG_FRAME },
};

static void print_help(void)
{
	puts("Usage: uncoil rows [OPTION]... FILE\n"
	     "Print what a program's or library's unwind data says, address by address.\n\n"
	     "      --at ADDR|SYMBOL[+N]  the row at a virtual address (0x...) or behind a symbol,\n"
	     "                            or all rows of a function\n"
	     "      --from SOURCE         ehframe, sframe or debugframe; otherwise the first that\n"
	     "                            there is of ehframe, debugframe, sframe\n"
	     "      --json                for scripts\n"
	     "      --no-symbols          do not look for the names of functions\n"
	     "  -h, --help                this text\n\n"
	     "See uncoil-rows(1).");
}

/* ---- which functions, which rows ---- */

static bool covers(const struct uc_rows_event *e, uint64_t at)
{
	return at - e->start < e->end - e->start;
}

static bool is_row_wanted(const struct rows *r, const struct uc_rows_event *e)
{
	uint64_t at = r->at;

	if (!r->has_at || r->is_whole)
		return true;
	if (e->repeat) /* rows are of the first block */
		at = e->walk->sf.start + (at - e->walk->sf.start) % e->repeat;
	return covers(e, at);
}

/* The section is there: say so before the first of its records. */
static void begin(struct rows *r)
{
	const struct uc_debugframe *f = NULL;

	if (r->is_begun)
		return;
	r->is_begun = true;
	if (r->source == UC_ROWS_DEBUGFRAME)
		f = uc_image_debugframe(r->img, NULL);
	r->form->begin(&r->out, f ? f->path : r->path, uc_image_abi(r->img),
		       uc_image_section_name(sources[r->source].section));
}

static int on_event(const struct uc_rows_event *e, void *arg)
{
	struct rows *r = arg;

	begin(r);
	switch (e->kind) {
	case UC_ROWS_FDE:
		r->is_wanted = !r->has_at || covers(e, r->at);
		r->fde = e->offset;
		if (!r->is_wanted)
			break;
		r->nr_functions++;
		r->form->function(&r->out, e);
		break;
	case UC_ROWS_ROW:
		if (r->is_wanted && is_row_wanted(r, e))
			r->form->row(&r->out, e);
		break;
	case UC_ROWS_FLAW:
		if (r->has_at && !(r->is_wanted && e->record == r->fde))
			break;
		r->nr_flaws++;
		r->form->flaw(&r->out, e);
		break;
	}
	return ferror(r->out.out) ? -EIO : 0;
}

/* ---- the file ---- */

static int unreadable(const struct rows *r, int err)
{
	if (err == -ENOENT && r->source < 0)
		uc_error("%s: has no unwind data", r->path);
	else if (err == -ENOENT)
		uc_error("%s: has no %s", r->path, uc_image_section_name(sources[r->source].section));
	else
		uc_error("%s: %s", r->path, strerror(-err));
	return EXIT_UNREADABLE;
}

static int print_rows(struct rows *r)
{
	static const enum uc_rows_source order[] = { UC_ROWS_EHFRAME, UC_ROWS_DEBUGFRAME,
						     UC_ROWS_SFRAME };
	bool is_any = r->source < 0;
	size_t i;
	int err = -ENOENT;

	if (!is_any) {
		err = uc_rows_each(r->img, (enum uc_rows_source)r->source, on_event, r);
	} else {
		for (i = 0; i < 3 && err == -ENOENT; i++) {
			r->source = order[i];
			err = uc_rows_each(r->img, order[i], on_event, r);
		}
		if (err == -ENOENT)
			r->source = -1;
	}
	if (err && err != -EIO)
		return unreadable(r, err);
	begin(r);
	r->form->end(&r->out);
	err = uc_finish_output();
	if (err)
		return EXIT_UNREADABLE;
	if (r->has_at && !r->nr_functions) {
		uc_error("%s: nothing covers %s", r->path, r->at_text);
		return EXIT_FLAWED;
	}
	return r->nr_flaws ? EXIT_FLAWED : UC_EXIT_OK;
}

/* "0x401136", "main", "main+0x10" */
static int parse_at(struct rows *r)
{
	const char *text = r->at_text, *plus = strrchr(text, '+');
	uint64_t offset = 0;
	char *end, *name;
	int err;

	r->has_at = true;
	if (!strncmp(text, "0x", 2)) {
		errno = 0;
		r->at = strtoull(text, &end, 16);
		if (*end || end == text + 2 || errno)
			return uc_usage_error("rows", "--at: %s: not an address", text);
		return 0;
	}
	if (plus) { /* operator+ is a name, too */
		offset = strtoull(plus + 1, &end, 0);
		if (*end || plus[1] < '0' || plus[1] > '9')
			plus = NULL;
	}
	r->is_whole = !plus;
	name = strndup(text, plus ? (size_t)(plus - text) : strlen(text));
	if (!name)
		return uc_no_memory();
	err = uc_dso_lookup(r->path, name, &r->at);
	free(name);
	if (err) {
		uc_error("%s: no symbol %s", r->path, text);
		return EXIT_FLAWED;
	}
	r->at += plus ? offset : 0;
	return 0;
}

static int run(struct rows *r)
{
	char err[512];
	int rc;

	if (uc_image_open(r->path, &r->img, err, sizeof(err))) {
		uc_error("%s", err);
		return EXIT_UNREADABLE;
	}
	rc = r->at_text ? parse_at(r) : 0;
	if (!rc && !r->no_symbols && uc_dso_open(r->path, NULL, 0, &r->out.dso))
		r->out.dso = NULL; /* then there are no names */
	if (!rc)
		rc = print_rows(r);
	uc_dso_free(r->out.dso);
	uc_image_free(r->img);
	return rc;
}

int uc_parse_rows_source(const char *verb, const char *name, enum uc_rows_source *ret)
{
	size_t i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		if (!strcmp(name, sources[i].name)) {
			*ret = (enum uc_rows_source)i;
			return 0;
		}
	}
	return uc_usage_error(verb, "--from: %s: none of ehframe, sframe, debugframe", name);
}

static int parse_options(int argc, char **argv, struct rows *ret, bool *ret_help)
{
	static const struct option options[] = {
		{ "at", required_argument, NULL, 'a' },
		{ "from", required_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "no-symbols", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	enum uc_rows_source source = UC_ROWS_EHFRAME;
	int opt, err = 0;

	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (opt) {
		case 'a':
			ret->at_text = optarg;
			break;
		case 'f':
			err = uc_parse_rows_source("rows", optarg, &source);
			ret->source = (int)source;
			break;
		case 'j':
			ret->form = &rows_json;
			break;
		case 'n':
			ret->no_symbols = true;
			break;
		case 'h':
			*ret_help = true;
			return 0;
		default:
			return uc_option_error("rows", opt, argv);
		}
	}
	if (err)
		return err;
	if (optind == argc)
		return uc_usage_error("rows", "a file is missing");
	if (optind + 1 < argc)
		return uc_usage_error("rows", "%s: unexpected argument", argv[optind + 1]);
	ret->path = argv[optind];
	return 0;
}

int cmd_rows(int argc, char **argv)
{
	struct rows r = { .source = -1, .form = &rows_text, .out = { .out = stdout } };
	bool help = false;
	int err;

	err = parse_options(argc, argv, &r, &help);
	if (err)
		return err;
	if (help) {
		print_help();
		return uc_finish_output();
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	return run(&r);
}
