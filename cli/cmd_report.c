/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil report: a recording as a call tree, as a table of stops, or as JSON. */
#include "calltree.h"
#include "cli.h"
#include "summary.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum format { FORMAT_TREE, FORMAT_STOPS, FORMAT_JSON };

struct report {
	const char *input;
	enum format format;
	const char *comm; /* these commands only; NULL: all */
	struct uc_tree_style style;
	bool help;
	struct uc_calltree tree;
	struct uc_summary summary;
};

static void print_help(void)
{
	puts("Usage: uncoil report [OPTION]...\n"
	     "Show where the time of a recording went.\n\n"
	     "  -i, --input FILE       the recording (perf.data)\n"
	     "      --children         sort by total time, show what is called (default)\n"
	     "      --no-children      sort by own time, show the way there\n"
	     "      --percent-limit N  leave out what is below N percent (0.5)\n"
	     "  -c, --comm LIST        samples of these commands only\n"
	     "      --dso LIST         symbols of these files only\n"
	     "      --stops            how stacks ended, and where\n"
	     "      --json             the numbers as one JSON object\n"
	     "  -h, --help             this text\n\n"
	     "See uncoil-report(1).");
}

/* What stands in the tree for frames that are missing. */
static const char *mark_of(const struct uc_perf_event *ev)
{
	if (uc_sample_lost_stack(ev))
		return "[no user stack]";
	if (!ev->has_user)
		return NULL;
	switch (ev->stop) {
#define MARK(name, number, word, sentence) \
	case number: \
		return number <= UNCOIL_STOP_OUTERMOST ? NULL : "[incomplete: " word "]";
		UNCOIL_STOPS(MARK)
#undef MARK
	}
	return NULL;
}

static int add_sample(struct uc_replay *r, const struct uc_perf_event *ev, void *arg)
{
	struct report *report = arg;
	const char *comm = uc_symbols_comm_of(r->symbols, ev->pid, ev->tid);
	int err;

	if (!comm)
		return uc_no_memory();
	report->summary.file_samples++;
	if (report->comm && !uc_in_list(report->comm, comm))
		return UC_EXIT_OK;
	err = uc_summary_add(&report->summary, r, ev);
	if (err || report->format != FORMAT_TREE)
		return err;
	err = uc_replay_frames(r, ev);
	if (err)
		return err;
	err = uc_calltree_add(&report->tree, comm, r->frame, r->nr_frames, mark_of(ev),
			      ev->period ? ev->period : 1);
	return err ? uc_no_memory() : UC_EXIT_OK;
}

static int print_report(struct report *report)
{
	switch (report->format) {
	case FORMAT_JSON:
		uc_print_json(&report->summary, stdout);
		return UC_EXIT_OK;
	case FORMAT_STOPS:
		uc_print_summary(&report->summary, stdout);
		uc_print_stops(&report->summary, stdout);
		return UC_EXIT_OK;
	case FORMAT_TREE:
		break;
	}
	uc_print_summary(&report->summary, stdout);
	return uc_print_tree(&report->tree, &report->style, stdout) ? uc_no_memory() : UC_EXIT_OK;
}

static bool parse_percent(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text && !*end && isfinite(*ret) && *ret >= 0 && *ret <= 100;
}

/* Names are cut on terminals only, where long lines would fold. */
static int terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return atoi(columns);
	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

enum { OPT_CHILDREN = 256, OPT_NO_CHILDREN, OPT_LIMIT, OPT_DSO, OPT_STOPS, OPT_JSON };

static int parse_option(struct report *report, int opt, char **argv)
{
	switch (opt) {
	case 'i':
		report->input = optarg;
		break;
	case 'c':
		report->comm = optarg;
		break;
	case 'h':
		report->help = true;
		break;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		report->style.children = opt == OPT_CHILDREN;
		break;
	case OPT_LIMIT:
		if (!parse_percent(optarg, &report->style.percent_limit))
			return uc_usage_error("report",
					      "--percent-limit: %s: not a number from 0 to 100",
					      optarg);
		break;
	case OPT_DSO:
		report->style.dso = optarg;
		break;
	case OPT_STOPS:
		report->format = FORMAT_STOPS;
		break;
	case OPT_JSON:
		report->format = FORMAT_JSON;
		break;
	default:
		return uc_option_error("report", opt, argv);
	}
	return UC_EXIT_OK;
}

static int parse_options(int argc, char **argv, struct report *ret)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "children", no_argument, NULL, OPT_CHILDREN },
		{ "no-children", no_argument, NULL, OPT_NO_CHILDREN },
		{ "percent-limit", required_argument, NULL, OPT_LIMIT },
		{ "comm", required_argument, NULL, 'c' },
		{ "dso", required_argument, NULL, OPT_DSO },
		{ "stops", no_argument, NULL, OPT_STOPS },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt, err = UC_EXIT_OK;

	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, ":i:c:h", options, NULL)) != -1)
		err = parse_option(ret, opt, argv);
	if (!err && optind < argc)
		return uc_usage_error("report", "%s: unexpected argument", argv[optind]);
	return err;
}

/* What could be read of a damaged file is shown, too; the exit code tells. */
static int read_and_print(struct report *report, struct uc_replay *r)
{
	int ret = uc_replay_each(r, add_sample, report), err;

	uc_summary_finish(&report->summary, r);
	err = print_report(report);
	if (!err)
		err = uc_finish_output();
	return ret ? ret : err;
}

int cmd_report(int argc, char **argv)
{
	struct report report = {
		.input = "perf.data",
		.style = { .children = true, .percent_limit = 0.5 },
	};
	struct uc_replay r;
	int ret;

	ret = parse_options(argc, argv, &report);
	if (ret)
		return ret;
	if (report.help) {
		print_help();
		return uc_finish_output();
	}
	report.style.width = terminal_width();
	ret = uc_replay_open(report.input, &r);
	if (ret)
		return ret;
	if (!uc_calltree_init(&report.tree)) {
		ret = read_and_print(&report, &r);
		uc_calltree_fini(&report.tree);
	} else {
		ret = uc_no_memory();
	}
	uc_summary_fini(&report.summary);
	uc_replay_close(&r);
	return ret;
}
