/* SPDX-License-Identifier: GPL-2.0-only */
/* uncoil record: sample a command, processes, threads or the system into perf.data. */
#define _GNU_SOURCE 1
#include "cli.h"
#include "command.h"
#include "recording.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Own failures, apart from the statuses that are passed on; as env(1) and timeout(1). */
#define EXIT_UNCOIL 125
#define EXIT_CANNOT_RUN 126
#define EXIT_NOT_FOUND 127

#define DEFAULT_FREQ 999 /* not in step with what happens a thousand times a second */
#define DEFAULT_PATH "perf.data"
/* Between two looks at the rings: rather many events at once than many looks. */
#define PACE_MS 10
#define IDLE_MS 100
#define ERR_SIZE 1024

struct options {
	struct uc_target target;
	struct uc_ids ids; /* of -p or -t */
	enum uc_source_event event;
	u64 freq, period;
	double seconds; /* 0: no limit */
	u32 max_frames;
	enum uc_unwind unwind;
	bool merged, quiet, help;
	const char *path;
	char **command; /* NULL: none */
};

static const char usage_text[] =
	"Usage: uncoil record [options] [--] COMMAND [ARGUMENT...]\n"
	"       uncoil record [options] -p PID[,PID...] | -t TID[,TID...] | -a\n"
	"\n"
	"Sample a command with all its threads and children, or what runs already,\n"
	"and write perf.data with the complete user stack of every sample.\n"
	"\n"
	"  -F, --freq HZ         samples a second of CPU time (default 999), or max\n"
	"  -c, --count N         instead of -F: a sample every N events (cpu-clock: ns)\n"
	"  -e, --event EVENT     cpu-clock or cycles (default: cycles where the machine\n"
	"                        counts them, else cpu-clock)\n"
	"  -p, --pid PID,...     processes: all their threads, and what they start\n"
	"  -t, --tid TID,...     these threads only\n"
	"  -a, --all-cpus        the whole system\n"
	"  -d, --duration SEC    stop after SEC seconds\n"
	"  -o, --output FILE     default perf.data; an older one becomes FILE.old\n"
	"      --max-stack N     frames a stack at most\n"
	"      --unwind HOW      auto (.eh_frame, then .sframe, then the frame pointer),\n"
	"                        or ehframe, sframe or fp alone\n"
	"      --merge           write whole stacks into the samples, for readers that do\n"
	"                        not know deferred call chains\n"
	"  -g                    accepted; stacks are always recorded\n"
	"  -q, --quiet           say nothing but errors\n"
	"  -h, --help            this text\n"
	"\n"
	"Exits with the command's status; 128+N if signal N ended it; 127 if it was not\n"
	"found, 126 if it could not be run, 125 if uncoil itself failed.\n";

static int usage_error(const char *what, const char *arg)
{
	uc_usage_error("record", "%s%s%s", what, arg ? ": " : "", arg ? arg : "");
	return -EINVAL;
}

/* ---- options ---- */

static bool parse_number(const char *text, u64 min, u64 max, u64 *ret)
{
	char *end;
	u64 value;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

static bool parse_seconds(const char *text, double *ret)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !isfinite(value) || value <= 0 || value > 1e9)
		return false;
	*ret = value;
	return true;
}

/* "12,34" */
static bool parse_ids(const char *text, struct uc_ids *ids)
{
	for (;;) {
		char *end;
		long id;

		if (!isdigit((unsigned char)*text))
			return false;
		errno = 0;
		id = strtol(text, &end, 10);
		if (errno || id <= 0 || id > INT32_MAX || (*end && *end != ','))
			return false;
		if (uc_ids_add(ids, (pid_t)id))
			return false;
		if (!*end)
			return true;
		text = end + 1;
	}
}

static int set_target(struct options *o, enum uc_target_kind kind)
{
	if (o->target.kind != UC_TARGET_COMMAND && o->target.kind != kind)
		return usage_error("-p, -t and -a exclude each other", NULL);
	o->target.kind = kind;
	return 0;
}

static int set_ids(struct options *o, enum uc_target_kind kind, const char *text)
{
	int rc = set_target(o, kind);

	if (!rc && !parse_ids(text, &o->ids))
		rc = usage_error("not a list of ids", text);
	return rc;
}

static int set_freq(struct options *o, const char *text)
{
	u64 max = uc_source_max_freq();

	if (!strcmp(text, "max") && max) {
		o->freq = max;
		return 0;
	}
	return parse_number(text, 1, UINT32_MAX, &o->freq) ?
		       0 :
		       usage_error("-F: not a frequency", text);
}

static int set_event(struct options *o, const char *text)
{
	if (!strcmp(text, "cpu-clock"))
		o->event = UC_SOURCE_CPU_CLOCK;
	else if (!strcmp(text, "cycles") || !strcmp(text, "cpu-cycles"))
		o->event = UC_SOURCE_CYCLES;
	else
		return usage_error("-e: neither cpu-clock nor cycles", text);
	return 0;
}

static int set_option(struct options *o, int option, const char *arg)
{
	u64 number = 0;

	switch (option) {
	case 'F':
		return set_freq(o, arg);
	case 'c':
		return parse_number(arg, 1, INT64_MAX, &o->period) ?
			       0 :
			       usage_error("-c: not a count", arg);
	case 'e':
		return set_event(o, arg);
	case 'p':
		return set_ids(o, UC_TARGET_PROCESSES, arg);
	case 't':
		return set_ids(o, UC_TARGET_THREADS, arg);
	case 'a':
		return set_target(o, UC_TARGET_SYSTEM);
	case 'd':
		return parse_seconds(arg, &o->seconds) ?
			       0 :
			       usage_error("-d: not a number of seconds", arg);
	case 'o':
		o->path = arg;
		return *arg ? 0 : usage_error("-o: a file name is missing", NULL);
	case 'S':
		if (!parse_number(arg, 1, UC_FRAMES_MAX, &number))
			return usage_error("--max-stack: not a number of frames", arg);
		o->max_frames = (u32)number;
		return 0;
	case 'U':
		return uc_unwind_parse(arg, &o->unwind) ?
			       0 :
			       usage_error("--unwind: none of auto, ehframe, sframe and fp", arg);
	case 'm':
		o->merged = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	default: /* -g: for habit's sake */
		return 0;
	}
}

static int check_options(struct options *o)
{
	u64 max = uc_source_max_freq();

	if (o->freq && o->period)
		return usage_error("-F and -c exclude each other", NULL);
	if (!o->command && o->target.kind == UC_TARGET_COMMAND)
		return usage_error("nothing to record: name a command, or -p, -t or -a", NULL);
	if (!o->period) {
		u64 wanted = o->freq ? o->freq : DEFAULT_FREQ;

		o->freq = max && wanted > max ? max : wanted;
		if (o->freq < wanted)
			uc_error("%" PRIu64 " samples a second are more than "
				 "kernel.perf_event_max_sample_rate allows; taking %" PRIu64,
				 wanted, max);
	}
	uc_ids_sort(&o->ids);
	o->target.ids = o->ids.id;
	o->target.nr_ids = o->ids.nr;
	return 0;
}

/* 0, or -EINVAL: has said what is wrong. */
static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "freq", required_argument, NULL, 'F' },
		{ "count", required_argument, NULL, 'c' },
		{ "event", required_argument, NULL, 'e' },
		{ "pid", required_argument, NULL, 'p' },
		{ "tid", required_argument, NULL, 't' },
		{ "all-cpus", no_argument, NULL, 'a' },
		{ "duration", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "max-stack", required_argument, NULL, 'S' },
		{ "unwind", required_argument, NULL, 'U' },
		{ "merge", no_argument, NULL, 'm' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	/* "+": what follows the command is the command's. */
	static const char shorts[] = "+:F:c:e:p:t:ad:o:gqh";
	int option, rc = 0;

	optind = 1;
	opterr = 0;
	while (!rc && (option = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (option == '?')
			return usage_error("unknown option", argv[optind - 1]);
		if (option == ':')
			return usage_error("an argument is missing", argv[optind - 1]);
		rc = set_option(o, option, optarg);
	}
	if (rc || o->help)
		return rc;
	if (optind < argc)
		o->command = argv + optind;
	return check_options(o);
}

/* ---- one run ---- */

enum end {
	END_NONE, /* goes on */
	END_COMMAND, /* the command has ended */
	END_SIGNAL, /* asked to stop */
	END_TIME, /* -d is over */
	END_GONE, /* all processes observed have exited */
	END_ERROR, /* cannot write */
};

struct run {
	const struct options *o;
	struct uc_recording *recording;
	struct uc_command command;
	sigset_t old_mask;
	int signal_fd, timer_fd;
	int nr_signals; /* asked to stop how often */
	int last_signal;
	bool show_progress;
	time_t shown; /* second of the last progress line */
};

/*
 * Signals become events of the loop. SIGINT and SIGTERM always: scripts run
 * us in the background, where SIGINT is ignored, and stop us with it. The
 * other two only if nobody (nohup) had them ignored.
 */
static int take_signals(struct run *run)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction now;

		sigaction(signals[i], NULL, &now);
		if (now.sa_handler != SIG_IGN || i < 2)
			sigaddset(&mask, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &mask, &run->old_mask);
	run->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signal_fd < 0 ? -errno : 0;
}

/*
 * The first signal is the command's affair: it has had the terminal's itself,
 * others we hand on; its end is ours. Without command, or asked again, stop.
 */
static enum end handle_signal(struct run *run)
{
	struct signalfd_siginfo info;
	bool command = run->o->command && !run->command.ended;

	while (read(run->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		run->nr_signals++;
		run->last_signal = (int)info.ssi_signo;
		if (command && info.ssi_code != SI_KERNEL)
			kill(run->command.pid, run->last_signal);
		if (!command || run->nr_signals > 1)
			return END_SIGNAL;
	}
	return END_NONE;
}

static int start_timer(struct run *run)
{
	struct itimerspec when = { .it_value = { .tv_sec = (time_t)run->o->seconds } };

	if (run->o->seconds <= 0)
		return 0;
	when.it_value.tv_nsec = (long)((run->o->seconds - (double)when.it_value.tv_sec) * 1e9);
	if (!when.it_value.tv_sec && !when.it_value.tv_nsec)
		when.it_value.tv_nsec = 1;
	run->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (run->timer_fd < 0 || timerfd_settime(run->timer_fd, 0, &when, NULL))
		return -errno;
	return 0;
}

static void show_progress(struct run *run)
{
	struct timespec now;

	if (!run->show_progress)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == run->shown)
		return;
	run->shown = now.tv_sec;
	fprintf(stderr, "\r\033[Kuncoil: %" PRIu64 " samples; Ctrl-C ends",
		uc_recording_tally(run->recording)->samples);
}

static void end_progress(struct run *run)
{
	if (run->show_progress)
		fprintf(stderr, "\r\033[K");
}

static enum end watch(struct run *run)
{
	enum { SIGNAL, TIMER, COMMAND, NR_CONTROL, ENGINE = NR_CONTROL, SIDEBAND, NR };
	struct pollfd fds[NR] = {
		[SIGNAL] = { .fd = run->signal_fd, .events = POLLIN },
		[TIMER] = { .fd = run->timer_fd, .events = POLLIN },
		[COMMAND] = { .fd = run->o->command ? run->command.pidfd : -1, .events = POLLIN },
		[ENGINE] = { .fd = uc_recording_engine_fd(run->recording), .events = POLLIN },
		[SIDEBAND] = { .fd = uc_recording_sideband_fd(run->recording), .events = POLLIN },
	};
	enum end end = END_NONE;
	bool busy = false;

	while (end == END_NONE) {
		/* When events come all the time, let some gather. */
		if (busy)
			poll(fds, NR_CONTROL, PACE_MS);
		else
			poll(fds, NR, IDLE_MS);
		busy = !busy && (fds[ENGINE].revents || fds[SIDEBAND].revents);
		if (uc_recording_drain(run->recording))
			return END_ERROR;
		show_progress(run);
		if (fds[SIGNAL].revents)
			end = handle_signal(run);
		if (fds[TIMER].revents)
			end = END_TIME;
		if (run->o->command && uc_command_reap(&run->command))
			end = END_COMMAND;
		else if (!run->o->command && uc_recording_all_gone(run->recording))
			end = END_GONE;
	}
	return end;
}

/* The recording is over, the command is not. */
static void wait_for_command(struct run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->signal_fd, .events = POLLIN },
		{ .fd = run->command.pidfd, .events = POLLIN },
	};

	while (!uc_command_reap(&run->command) && handle_signal(run) == END_NONE)
		poll(fds, 2, -1);
}

static void end_command(struct run *run, enum end end)
{
	if (!run->o->command)
		return;
	if (end == END_TIME)
		kill(run->command.pid, SIGTERM);
	if (end == END_TIME || end == END_ERROR)
		wait_for_command(run);
	if (!uc_command_reap(&run->command))
		uc_error("%s: goes on as process %d", run->o->command[0], (int)run->command.pid);
}

static int exit_code(const struct run *run, enum end end)
{
	const struct uc_command *command = &run->command;

	if (end == END_ERROR)
		return EXIT_UNCOIL;
	if (!run->o->command)
		return UC_EXIT_OK;
	if (!command->ended)
		return 128 + run->last_signal;
	/* It did what -d asked for. */
	if (end == END_TIME && WIFSIGNALED(command->status) && WTERMSIG(command->status) == SIGTERM)
		return UC_EXIT_OK;
	return uc_command_exit_code(command);
}

/* From the first event to the closed file. Returns the exit code. */
static int record(struct run *run)
{
	enum end end;
	int rc;

	rc = start_timer(run);
	if (rc) {
		uc_error("timer: %s", strerror(-rc));
		end = END_ERROR;
	} else {
		end = watch(run);
	}
	rc = uc_recording_finish(run->recording);
	end_progress(run);
	if (rc) {
		uc_error("%s: %s", run->o->path, strerror(-rc));
		end = END_ERROR;
	}
	if (!run->o->quiet)
		uc_tally_print(uc_recording_tally(run->recording), run->o->path, stderr);
	end_command(run, end);
	return exit_code(run, end);
}

static int start_command(struct run *run)
{
	int rc = uc_command_go(&run->command);

	if (!rc)
		return 0;
	uc_error("%s: %s", run->o->command[0], strerror(-rc));
	return rc == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Everything in place, then the command's exec, then the file: a command that
 * does not exist costs no older recording. */
static int open_and_record(struct run *run, const struct uc_recording_opts *opts)
{
	char err[ERR_SIZE] = "";
	const char *warning;
	int rc = 0;

	if (uc_recording_open(opts, &run->recording, err, sizeof(err))) {
		uc_error("%s", err);
		return EXIT_UNCOIL;
	}
	warning = uc_recording_warning(run->recording);
	if (warning && !run->o->quiet)
		uc_error("%s", warning);
	if (run->o->command)
		rc = start_command(run);
	if (rc)
		return rc;
	if (uc_recording_start(run->recording, err, sizeof(err))) {
		uc_error("%s", err);
		if (run->o->command)
			kill(run->command.pid, SIGTERM);
		return EXIT_UNCOIL;
	}
	return record(run);
}

static int run_with(const struct options *o, int argc, const char *const *argv)
{
	struct run run = { .o = o, .signal_fd = -1, .timer_fd = -1 };
	struct uc_target target = o->target;
	struct uc_recording_opts opts = {
		.target = &target,
		.event = o->event,
		.freq = o->freq,
		.period = o->period,
		.max_frames = o->max_frames,
		.unwind = o->unwind,
		.merged = o->merged,
		.path = o->path,
		.argc = argc,
		.argv = argv,
	};
	int rc = take_signals(&run);

	/* The command is forked before anything of ours (limits, descriptors)
	 * could be handed down to it. */
	if (!rc && o->command)
		rc = uc_command_fork(&run.command, o->command, &run.old_mask);
	if (rc) {
		uc_error("cannot start: %s", strerror(-rc));
		return EXIT_UNCOIL;
	}
	signal(SIGPIPE, SIG_IGN);
	if (target.kind == UC_TARGET_COMMAND) {
		target.ids = &run.command.pid;
		target.nr_ids = 1;
	}
	run.show_progress = !o->quiet && !o->command && isatty(STDERR_FILENO);
	rc = open_and_record(&run, &opts);
	uc_recording_free(run.recording);
	uc_command_fini(&run.command);
	return rc;
}

int cmd_record(int argc, char **argv)
{
	struct options o = { .target.kind = UC_TARGET_COMMAND,
			     .unwind = uc_unwind_default(),
			     .path = DEFAULT_PATH };
	const char **whole = calloc((size_t)argc + 2, sizeof(*whole));
	int rc = EXIT_UNCOIL;

	/* perf keeps the whole line; argv begins at the verb. */
	if (whole) {
		whole[0] = "uncoil";
		for (int i = 0; i < argc; i++)
			whole[i + 1] = argv[i];
	}
	if (!whole)
		uc_error("out of memory");
	else if (parse_options(&o, argc, argv))
		rc = EXIT_UNCOIL;
	else if (o.help)
		rc = fputs(usage_text, stdout) < 0 ? EXIT_UNCOIL : uc_finish_output();
	else
		rc = run_with(&o, argc + 1, whole);
	uc_ids_fini(&o.ids);
	free(whole);
	return rc;
}
