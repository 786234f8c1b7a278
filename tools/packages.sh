#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# packages.sh build|demo|check|bench|fuzz: install the Debian/Ubuntu packages that are
# missing for it when run as root; else print the command that would.
set -eu

build="gcc make clang-19 libc6-dev linux-libc-dev libbpf-dev libelf-dev libdw-dev libiberty-dev zlib1g-dev
	liblzma-dev libzstd-dev"
demo="xz-utils python3"
check="g++ libasan8 libubsan1 gdb binutils lld musl-tools python3 xz-utils libcmocka-dev libunwind-dev elfutils linux-perf
	procps util-linux man-db zstd binutils-s390x-linux-gnu"
# Other machines' programs. The cross compilers exclude gcc-multilib, whose parts
# for i386 have the native compiler's version in their names.
gcc_version=$(gcc -dumpversion 2>/dev/null || echo 12)
check="$check qemu-user gdb-multiarch gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu
	libc6-dev-s390x-cross libc6-dev-i386 lib32gcc-${gcc_version%%.*}-dev"
bench="$demo g++ linux-perf"
fuzz="$build libclang-rt-19-dev"

case ${1:-build} in
build) want=$build ;;
demo) want="$build $demo" ;;
check) want="$build $check" ;;
bench) want="$build $bench" ;;
fuzz) want=$fuzz ;;
*) echo "usage: packages.sh build|demo|check|bench|fuzz" >&2; exit 2 ;;
esac

missing=
for package in $want; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
		missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
	echo "uncoil: these Debian packages, or their likes, are needed:$missing" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "uncoil: packages are missing; as root run:" >&2
	echo "  apt-get update && $install" >&2
	exit 1
fi
echo "uncoil: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null
