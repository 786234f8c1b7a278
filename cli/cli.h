/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the verbs share. A verb is a file cmd_<verb>.c with one function; it
 * gets its own arguments, argv[0] being its name, and returns an exit code.
 */
#ifndef UC_CLI_H
#define UC_CLI_H

#include <stdint.h>
#include <stdio.h>

enum uc_exit {
	UC_EXIT_OK = 0,
	UC_EXIT_FAILURE = 1,
	UC_EXIT_USAGE = 2,
};

int cmd_check(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_rows(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_survey(int argc, char **argv);

/* "uncoil: <what>: <why>" to stderr; give what and why. */
void uc_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, then a pointer to `uncoil help VERB`. Returns UC_EXIT_USAGE. */
int uc_usage_error(const char *verb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Says which option getopt_long() (with opterr 0, and ':' before the options)
 * did not like, having returned @opt. Returns UC_EXIT_USAGE. */
int uc_option_error(const char *verb, int opt, char **argv);
/* Says that memory is out. Returns UC_EXIT_FAILURE. */
int uc_no_memory(void);
/* Was all of stdout written? Says so if not. */
int uc_finish_output(void);

/*
 * Names come from foreign files: print them without the control characters
 * that would forge lines or command the terminal.
 */
void uc_put_text(const char *text, FILE *out);
/* In place. */
void uc_clean_text(char *text);

/* In quotes. JSON text is UTF-8; what is not becomes the replacement character. */
void uc_put_json_string(const char *text, FILE *out);

double uc_percent(uint64_t part, uint64_t whole);

/* The path's last component. */
const char *uc_base_name(const char *path);

/* Of enum uncoil_stop and enum uncoil_flaw, from stop.h; any number may come.
 * NONE is "unknown": a recording of perf does not say how a stack ended. A flaw
 * that names a register lasts until the next call. */
const char *uc_stop_word(int stop);
const char *uc_stop_sentence(int stop);
const char *uc_flaw_sentence(int flaw);

#endif
