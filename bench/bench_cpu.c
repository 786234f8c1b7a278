/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage: bench_cpu COMMAND...
 *
 * Runs it, its standard output thrown away, and prints the CPU time (user + system, of
 * it and all that it waited for) and the elapsed time, in ms.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	double start = now_ms();
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 1;
	printf("%.1f %.1f\n", ms(usage.ru_utime) + ms(usage.ru_stime), now_ms() - start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
