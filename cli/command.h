/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command that waits, already a process but before its exec, until its
 * observers are in place.
 */
#ifndef UC_COMMAND_H
#define UC_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct uc_command {
	pid_t pid;
	int pidfd; /* readable when it has ended */
	int go_fd, report_fd;
	bool ended;
	int status; /* of waitpid(2), once ended */
};

/* Fork; the child gets @mask as its signal mask. 0 or negative errno. */
int uc_command_fork(struct uc_command *c, char **argv, const sigset_t *mask);
/* Let it exec, and wait for the outcome: 0, or why it could not, as negative errno. */
int uc_command_go(struct uc_command *c);
/* Fetch the status if it has ended. True if it has. */
bool uc_command_reap(struct uc_command *c);
/* The status as a shell's: 0-255, 128 + signal. */
int uc_command_exit_code(const struct uc_command *c);
/* Release descriptors. A child that was never let go ends without its exec. */
void uc_command_fini(struct uc_command *c);

#endif
