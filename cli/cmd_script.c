/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uncoil script: every sample as text. The layout is that of `perf script`,
 * because much reads it.
 */
#define _GNU_SOURCE 1
#include "cli.h"
#include "replay.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* X(name in -F, shown by default) */
#define FIELDS(X) \
	X(COMM, "comm", 1) \
	X(PID, "pid", 0) \
	X(TID, "tid", 1) \
	X(CPU, "cpu", 0) \
	X(TIME, "time", 1) \
	X(PERIOD, "period", 1) \
	X(EVENT, "event", 1) \
	X(IP, "ip", 1) \
	X(SYM, "sym", 1) \
	X(SYMOFF, "symoff", 1) \
	X(DSO, "dso", 1) \
	X(STOP, "stop", 0)

enum field_bit {
#define FIELD_BIT(name, word, shown) BIT_##name,
	FIELDS(FIELD_BIT)
#undef FIELD_BIT
	NR_FIELDS
};

enum field {
#define FIELD(name, word, shown) F_##name = 1 << BIT_##name,
	FIELDS(FIELD)
#undef FIELD
#define DEFAULT(name, word, shown) | (shown ? F_##name : 0)
	F_DEFAULT = 0 FIELDS(DEFAULT)
#undef DEFAULT
};

static const char *const field_names[NR_FIELDS] = {
#define FIELD_NAME(name, word, shown) word,
	FIELDS(FIELD_NAME)
#undef FIELD_NAME
};

struct script {
	const char *input;
	unsigned int fields;
	FILE *out;
};

static void print_help(void)
{
	puts("Usage: uncoil script [OPTION]...\n"
	     "Print every sample of a recording with its stack.\n\n"
	     "  -i, --input FILE     the recording (perf.data)\n"
	     "  -F, --fields LIST    what to print, of: comm,pid,tid,cpu,time,period,event,ip,\n"
	     "                       sym,symoff,dso,stop; +NAME adds, -NAME removes\n"
	     "  -h, --help           this text\n\n"
	     "See uncoil-script(1).");
}

/* The bit of the field called @name (@len characters), or 0. */
static unsigned int field_named(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++)
		if (strlen(field_names[i]) == len && !strncmp(field_names[i], name, len))
			return 1u << i;
	return 0;
}

/* "a,b", or "+a,-b" that start from the default. */
static int parse_fields(const char *list, unsigned int *ret)
{
	bool relative = *list == '+' || *list == '-';
	unsigned int fields = relative ? F_DEFAULT : 0, bit;
	size_t len;
	char sign;

	for (;; list += len + 1) {
		sign = *list == '+' || *list == '-' ? *list++ : '\0';
		len = strcspn(list, ",");
		if (relative != (sign != '\0'))
			return uc_usage_error("script",
					      "-F: names with + or - do not mix with others");
		bit = field_named(list, len);
		if (!bit)
			return uc_usage_error("script", "-F: %.*s: no such field", (int)len, list);
		fields = sign == '-' ? fields & ~bit : fields | bit;
		if (!list[len])
			break;
	}
	if (!(fields & F_IP) && fields & (F_SYM | F_SYMOFF | F_DSO) && !relative)
		return uc_usage_error("script", "-F: sym, symoff and dso need ip");
	if (fields & F_SYMOFF && !(fields & F_SYM) && !relative)
		return uc_usage_error("script", "-F: symoff needs sym");
	*ret = fields;
	return UC_EXIT_OK;
}

static void print_event(struct script *script, struct uc_replay *r, const struct uc_perf_event *ev)
{
	unsigned int fields = script->fields;
	FILE *out = script->out;
	bool chain = fields & F_IP && uc_sample_has_chain(ev);

	if (fields & F_COMM) {
		const char *comm = uc_symbols_comm_of(r->symbols, ev->pid, ev->tid);

		/* perf lines names up unless a stack follows */
		if (!chain)
			fprintf(out, "%*s", (int)(16 - strnlen(comm, 16)), "");
		uc_put_text(comm, out);
		fputc(' ', out);
	}
	if (fields & F_PID && fields & F_TID)
		fprintf(out, "%5d/%-5d ", (int)ev->pid, (int)ev->tid);
	else if (fields & (F_PID | F_TID))
		fprintf(out, "%5d ", (int)(fields & F_PID ? ev->pid : ev->tid));
	if (fields & F_CPU)
		fprintf(out, "[%03u] ", ev->cpu);
	if (fields & F_TIME)
		fprintf(out, "%5" PRIu64 ".%06" PRIu64 ": ", ev->time_ns / 1000000000,
			ev->time_ns % 1000000000 / 1000);
	if (fields & F_PERIOD)
		fprintf(out, "%10" PRIu64 " ", ev->period);
	if (fields & F_EVENT) {
		uc_put_text(uc_perf_file_event_name(r->file), out);
		fputs(": ", out);
	}
	if (chain)
		fputc('\n', out);
}

static void print_frame(const struct script *script, const struct uc_frame *frame, char before)
{
	FILE *out = script->out;

	fprintf(out, "%c%16" PRIx64, before, frame->addr);
	if (script->fields & F_SYM) {
		fputc(' ', out);
		uc_put_text(frame->sym.name ? frame->sym.name : "[unknown]", out);
		if (script->fields & F_SYMOFF && frame->sym.name)
			fprintf(out, "+0x%" PRIx64, frame->sym.offset);
	}
	if (script->fields & F_DSO) {
		fputs(" (", out);
		uc_put_text(frame->sym.dso ? frame->sym.dso : "[unknown]", out);
		fputc(')', out);
	}
}

/* "\t[stop: malformed: unknown CFA opcode; at 7f00 (/lib/x.so+0x88)]" */
static void print_stop(const struct script *script, struct uc_replay *r,
		       const struct uc_perf_event *ev)
{
	FILE *out = script->out;
	struct uc_symbol sym;

	if (uc_sample_lost_stack(ev)) {
		fputs("\t[stop: no stack]\n", out);
		return;
	}
	if (!ev->has_user)
		return;
	fprintf(out, "\t[stop: %s", uc_stop_word(ev->stop));
	if (ev->flaw)
		fprintf(out, ": %s", uc_flaw_sentence(ev->flaw));
	if (ev->stop_addr) {
		fprintf(out, "; at %" PRIx64, ev->stop_addr);
		uc_symbols_data(r->symbols, ev->pid, ev->stop_addr, &sym);
		if (sym.dso) {
			fputs(" (", out);
			uc_put_text(sym.dso, out);
			fprintf(out, "+0x%" PRIx64 ")", sym.dso_addr);
		}
	}
	fputs("]\n", out);
}

static int print_sample(struct uc_replay *r, const struct uc_perf_event *ev, void *arg)
{
	struct script *script = arg;
	bool chain = uc_sample_has_chain(ev);
	size_t i;
	int err;

	print_event(script, r, ev);
	if (script->fields & F_IP) {
		err = uc_replay_frames(r, ev);
		if (err)
			return err;
		for (i = 0; i < r->nr_frames; i++) {
			print_frame(script, &r->frame[i], chain ? '\t' : ' ');
			if (chain)
				fputc('\n', script->out);
		}
	}
	if (!(script->fields & F_IP) || !chain)
		fputc('\n', script->out);
	if (script->fields & F_STOP)
		print_stop(script, r, ev);
	if (script->fields & F_IP && chain)
		fputc('\n', script->out);
	return ferror(script->out) ? UC_EXIT_FAILURE : UC_EXIT_OK;
}

static int parse_options(int argc, char **argv, struct script *ret, bool *ret_help)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "fields", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int opt, err;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":i:F:h", options, NULL)) != -1) {
		switch (opt) {
		case 'i':
			ret->input = optarg;
			break;
		case 'F':
			err = parse_fields(optarg, &ret->fields);
			if (err)
				return err;
			break;
		case 'h':
			*ret_help = true;
			return UC_EXIT_OK;
		default:
			return uc_option_error("script", opt, argv);
		}
	}
	if (optind < argc)
		return uc_usage_error("script", "%s: unexpected argument", argv[optind]);
	return UC_EXIT_OK;
}

int cmd_script(int argc, char **argv)
{
	struct script script = { .input = "perf.data", .fields = F_DEFAULT, .out = stdout };
	struct uc_replay r;
	bool help = false;
	int err, ret;

	err = parse_options(argc, argv, &script, &help);
	if (err)
		return err;
	if (help) {
		print_help();
		return uc_finish_output();
	}
	err = uc_replay_open(script.input, &r);
	if (err)
		return err;
	ret = uc_replay_each(&r, print_sample, &script);
	uc_replay_close(&r);
	err = uc_finish_output();
	return ret ? ret : err;
}
