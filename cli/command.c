/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE 1
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static ssize_t read_all(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n;
}

/* Wait for the word, then become the command. All pipes are close-on-exec, so
 * a successful exec shows as the end of the report pipe. */
static _Noreturn void child(int go_fd, int report_fd, char **argv, const sigset_t *mask)
{
	char word;
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read_all(go_fd, &word, 1) != 1)
		_exit(125); /* uncoil has given up */
	execvp(argv[0], argv);
	error = errno;
	if (write(report_fd, &error, sizeof(error)) != sizeof(error))
		_exit(126);
	_exit(error == ENOENT ? 127 : 126);
}

int uc_command_fork(struct uc_command *c, char **argv, const sigset_t *mask)
{
	int go[2], report[2], rc;

	memset(c, 0, sizeof(*c));
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		rc = -errno;
		goto out_go;
	}
	c->pid = fork();
	if (c->pid < 0) {
		rc = -errno;
		goto out_report;
	}
	if (!c->pid) {
		close(go[1]);
		close(report[0]);
		child(go[0], report[1], argv, mask);
	}
	close(go[0]);
	close(report[1]);
	c->go_fd = go[1];
	c->report_fd = report[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0) {
		rc = -errno;
		uc_command_fini(c);
		return rc;
	}
	return 0;

out_report:
	close(report[0]);
	close(report[1]);
out_go:
	close(go[0]);
	close(go[1]);
	return rc;
}

int uc_command_go(struct uc_command *c)
{
	int error = 0;

	/* A child that a signal killed meanwhile cannot be told; its status is
	 * then what there is to report. */
	if (write(c->go_fd, "", 1) != 1 && errno != EPIPE)
		return -errno;
	close(c->go_fd);
	c->go_fd = -1;
	if (read_all(c->report_fd, &error, sizeof(error)) == sizeof(error))
		return -error;
	return 0;
}

bool uc_command_reap(struct uc_command *c)
{
	if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->ended = true;
	return c->ended;
}

int uc_command_exit_code(const struct uc_command *c)
{
	if (WIFSIGNALED(c->status))
		return 128 + WTERMSIG(c->status);
	return WEXITSTATUS(c->status);
}

void uc_command_fini(struct uc_command *c)
{
	bool waiting = c->go_fd >= 0;

	if (c->pid <= 0)
		return;
	if (waiting)
		close(c->go_fd);
	close(c->report_fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (waiting && !c->ended)
		waitpid(c->pid, &c->status, 0);
	c->pid = 0;
}
