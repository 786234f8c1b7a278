#!/bin/sh -e
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: build.sh OUTDIR
here=$(dirname "$0")
out=$1
mkdir -p "$out"
gcc -c -I"$here" -o "$out/case.o" "$here/case.S"
objcopy -O binary -j .sframe "$out/case.o" "$out/sframe.bin"
