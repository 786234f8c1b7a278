/* SPDX-License-Identifier: GPL-2.0-only */
/* The program: finds the verb. */
#include "cli.h"

#include <string.h>

#ifndef UNCOIL_VERSION
#define UNCOIL_VERSION "0.1"
#endif

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} verbs[] = {
	{ "check", cmd_check, "say whether files or processes can be walked, how far, and why not" },
	{ "record", cmd_record, "record the stacks of a command, of processes, or of the system" },
	{ "report", cmd_report, "show where time went: a call tree of a recording" },
	{ "rows", cmd_rows, "print the rows of a file: what its unwind data says, address by address" },
	{ "script", cmd_script, "print every sample of a recording with its stack" },
	{ "survey", cmd_survey, "count what the unwind data of files asks of an unwinder" },
};

#define NR_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; i < NR_VERBS; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static void usage(FILE *out)
{
	size_t i;

	fputs("Usage: uncoil VERB [ARGUMENT]...\n"
	      "Complete user-space stacks for profiling, without frame pointers.\n\n", out);
	for (i = 0; i < NR_VERBS; i++)
		fprintf(out, "  %-9s%s\n", verbs[i].name, verbs[i].summary);
	fputs("  help     this text, or the options of a verb\n"
	      "  version  print the version\n\n"
	      "'uncoil VERB --help' lists the options of a verb.\n", out);
}

static int cmd_help(int argc, char **argv)
{
	char option[] = "--help", *verb_argv[] = { argv[1], option, NULL };
	const struct verb *verb;

	if (argc < 2) {
		usage(stdout);
		return uc_finish_output();
	}
	verb = find_verb(argv[1]);
	if (!verb)
		return uc_usage_error(NULL, "%s: no such verb", argv[1]);
	return verb->run(2, verb_argv);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct verb *verb;

	if (!name) {
		usage(stderr);
		return UC_EXIT_USAGE;
	}
	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
		return cmd_help(argc - 1, argv + 1);
	if (!strcmp(name, "version") || !strcmp(name, "--version") || !strcmp(name, "-V")) {
		puts("uncoil " UNCOIL_VERSION);
		return uc_finish_output();
	}
	verb = find_verb(name);
	if (!verb)
		return uc_usage_error(NULL, "%s: no such verb", name);
	return verb->run(argc - 1, argv + 1);
}
