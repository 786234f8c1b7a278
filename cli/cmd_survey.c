/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil survey: what the unwind data of many files asks of an unwinder. */
#define _GNU_SOURCE 1
#include "cli.h"
#include "elf_files.h"
#include "out_rows.h"
#include "out_survey.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#define EXIT_UNREADABLE 2

struct surveys {
	enum uc_rows_source source;
	bool is_json, help;
	struct survey_sum sum;
	struct uc_survey survey[UC_ABI_COUNT];
	struct files_progress progress;
	char **paths;
};

static void print_help(void)
{
	puts("Usage: uncoil survey [OPTION]... FILE|DIRECTORY...\n"
	     "Count what unwind data asks of an unwinder: CFA bases, rules, expressions, the\n"
	     "registers that a step needs, and what fits the row cache.\n\n"
	     "      --from SOURCE   ehframe (default), sframe or debugframe\n"
	     "      --json          for scripts\n"
	     "  -h, --help          this text\n\n"
	     "See uncoil-survey(1).");
}

static int survey_file(const char *path, const char *name, bool is_named, void *arg)
{
	struct surveys *s = arg;
	struct uc_image *img;
	char err[512];
	int rc = uc_image_open(path, &img, err, sizeof(err));

	(void)name;
	if (rc && (is_named || rc != -ENOTSUP)) {
		files_progress_clear(&s->progress);
		uc_error("%s", err);
		s->sum.unreadable++;
		return 0;
	}
	if (rc) {
		s->sum.skipped++;
		return 0;
	}
	rc = uc_survey_add(&s->survey[uc_image_abi(img)], img, s->source);
	if (!rc) {
		s->sum.files++;
		s->sum.bytes += uc_image_size(img);
	} else if (rc != -ENOMEM) {
		s->sum.without++;
		rc = 0;
	}
	s->sum.unwind_bytes += rc ? 0 : uc_image_section(img, UC_IMAGE_EH_FRAME)->size;
	uc_image_free(img);
	files_progress_show(&s->progress, s->sum.files, s->sum.unwind_bytes);
	return rc;
}

static int run(struct surveys *s)
{
	size_t i;
	int rc;

	for (i = 0; i < UC_ABI_COUNT; i++)
		s->survey[i].abi = (enum uc_abi_id)i;
	files_progress_begin(&s->progress);
	rc = elf_files_each(s->paths, survey_file, s);
	files_progress_clear(&s->progress);
	for (i = 0; i < UC_ABI_COUNT; i++)
		uc_survey_sort(&s->survey[i]);
	if (!rc && s->is_json)
		survey_print_json(&s->sum, s->survey);
	else if (!rc)
		survey_print_text(&s->sum, s->survey);
	for (i = 0; i < UC_ABI_COUNT; i++)
		uc_survey_fini(&s->survey[i]);
	if (rc)
		return uc_no_memory();
	if (uc_finish_output() || s->sum.unreadable)
		return EXIT_UNREADABLE;
	return UC_EXIT_OK;
}

static int parse_options(int argc, char **argv, struct surveys *ret)
{
	static const struct option options[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt, err = 0;

	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		switch (opt) {
		case 'f':
			err = uc_parse_rows_source("survey", optarg, &ret->source);
			break;
		case 'j':
			ret->is_json = true;
			break;
		case 'h':
			ret->help = true;
			return 0;
		default:
			return uc_option_error("survey", opt, argv);
		}
	}
	ret->paths = argv + optind;
	if (!err && optind == argc)
		return uc_usage_error("survey", "name a file or a directory");
	return err;
}

int cmd_survey(int argc, char **argv)
{
	static struct surveys s = { .source = UC_ROWS_EHFRAME };
	int err = parse_options(argc, argv, &s);

	if (err)
		return err;
	if (s.help) {
		print_help();
		return uc_finish_output();
	}
	return run(&s);
}
