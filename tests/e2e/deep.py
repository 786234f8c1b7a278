# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""usage: deep.py spin LIBRARY DEPTH   come to rest in C, below DEPTH calls through C
       deep.py work MS              recurse through the interpreter, sort, json and re"""
import ctypes
import functools
import json
import re
import sys
import time


class Turn:
    """Each kind of call from C code back into python."""

    def __init__(self, n, bottom):
        self.n, self.bottom = n, bottom

    def __getattr__(self, name):
        return down(self.n, self.bottom)

    def __lt__(self, other):
        down(self.n, self.bottom)
        return False

    def __repr__(self):
        return str(down(self.n, self.bottom))


def down(n, bottom):
    if n <= 0:
        return bottom(n)
    kind = n % 5
    if kind == 0:
        return list(map(lambda m: down(m, bottom), [n - 1]))[0]
    if kind == 1:
        return functools.reduce(lambda a, b: down(b, bottom), [0, n - 1])
    if kind == 2:
        return Turn(n - 1, bottom).missing
    if kind == 3:
        return sorted([Turn(n - 1, bottom), Turn(0, int)])
    return "%r" % Turn(n - 1, bottom)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def nested(n):
    return {"key": [n, nested(n - 1)]} if n else "bottom"


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        down(30, lambda n: fib(12))
        json.loads(json.dumps(nested(60)))
        re.sub(r"(a|b)*c", lambda m: m[0].upper(), "abababc" * 20)
        fib(15)


if sys.argv[1] == "spin":
    spin = ctypes.CDLL(sys.argv[2]).spin
    down(int(sys.argv[3]), spin)
else:
    work(int(sys.argv[2]) / 1000)
