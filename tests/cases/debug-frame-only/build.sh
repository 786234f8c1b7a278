#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
gcc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer -g -o "$out/prog" "$here/case.c"
