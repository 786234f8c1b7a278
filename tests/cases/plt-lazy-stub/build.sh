#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
gcc -O1 -fcf-protection=none -mno-red-zone -fno-omit-frame-pointer -no-pie -Wl,-z,lazy -o "$out/prog" "$here/case.c"
