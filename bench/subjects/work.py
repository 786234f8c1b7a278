# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""work.py TIMES: recursion in Python below a recursion through C (sorted)."""
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def down(n, leaf):
    if n == 0:
        return leaf()
    return sorted([n, n - 1], key=lambda x: down(n - 1, leaf) if x == n else x)[0]


for _ in range(int(sys.argv[1])):
    down(12, lambda: fib(25))
