# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Call getppid(), which bench_python.c replaces, at the end of a deep C stack."""
import posix


def down(n):
    if n == 0:
        return posix.getppid()
    return sorted([n], key=lambda x: down(n - 1))[0]


down(12)
