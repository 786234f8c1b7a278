#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# make_fixtures.sh [FOLDER]: make NAME.sframe and NAME.rows again from the
# assembler sources here, and the programs of live/. Debian's binutils of three
# suites are fetched into FOLDER (a temporary one by default), never installed;
# they run with their own C library. UNCOIL_MIRROR is a mirror of Debian's archive; the
# one that this machine takes its own packages from otherwise.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
mirror=${UNCOIL_MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep debian | grep -v security | head -n 1)}
[ -n "$mirror" ] || { echo "make_fixtures.sh: set UNCOIL_MIRROR to a mirror of Debian" >&2; exit 1; }
scratch=${1:-$(mktemp -d)}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
[ $# -gt 0 ] || trap 'rm -rf "$scratch"' EXIT

# The format's version and the suite whose binutils writes it (formats sheet
# 5.9: 2.40, 2.44, 2.46 or later).
suite_of() {
	case $1 in 1) echo bookworm ;; 2) echo trixie ;; 3) echo sid ;; esac
}

# fetch SUITE: binutils for the three machines, unpacked in $scratch/SUITE/root
fetch() {
	local dir=$scratch/$1
	[ ! -e "$dir/done" ] || return 0
	mkdir -p "$dir"/{etc/parts,lists/partial,cache/archives/partial,root}
	: >"$dir/status" # nothing is installed: all that is needed comes along
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$dir/etc/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::Etc::sourcelist "$dir/etc/sources.list";
		Dir::Etc::sourceparts "$dir/etc/parts";
		Dir::State "$dir";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	END
	APT_CONFIG=$dir/apt.conf apt-get -q update
	APT_CONFIG=$dir/apt.conf apt-get -q -y --no-install-recommends --download-only install \
		binutils binutils-aarch64-linux-gnu binutils-s390x-linux-gnu
	for deb in "$dir"/cache/archives/*.deb; do
		dpkg-deb -x "$deb" "$dir/root"
	done
	touch "$dir/done"
}

# tool VERSION TOOL ARGUMENT...
tool() {
	local root=$scratch/$(suite_of "$1")/root name=$2 lib
	lib=$root/usr/lib/x86_64-linux-gnu
	shift 2
	[ -e "$lib/ld-linux-x86-64.so.2" ] || lib=$root/lib/x86_64-linux-gnu
	"$lib/ld-linux-x86-64.so.2" --library-path "$lib:$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/$name" "$@"
}

# Prefix of the tools' names. Debian's own binutils are x86-64's.
cross() {
	[ "$1" = x86_64 ] || echo "$1-linux-gnu-"
}

# fixture NAME VERSION ABI SOURCE LD-OPTION...
fixture() {
	local name=$1-v$2 v=$2 abi=$3 source=$4 p=$scratch/$1-v$2 rc=0
	local x=$(cross "$3")
	shift 4
	tool "$v" "${x}as" --gsframe -o "$p.o" "$source" 2>"$p.warnings"
	tool "$v" "${x}ld" -o "$p" "$p.o" "$@"
	tool "$v" "${x}objcopy" -O binary -j .sframe "$p" "$name.sframe"
	chmod 644 "$name.sframe"
	v=$v scratch=$scratch python3 rows.py "$p" "$abi" "$name.sframe" \
		bash -c 'tool "$v" "$0" "$@"' "${x}readelf" >"$name.rows"
}
export -f tool suite_of

# unlinked NAME VERSION: as a loader of object files makes it, x86-64's
unlinked() {
	(cd "$scratch" && ln -sf "$here/rows.py" . && fixture "$1" "$2" x86_64 "$here/$1.s")
	python3 relocate.py "$scratch/$1-v$2.o" "$scratch/$1-v$2.rows" "$1-v$2"
}

for v in 1 2 3; do
	fetch "$(suite_of $v)"
done
python3 many.py 240 >"$scratch/many.c"
gcc -O2 -fPIC -fvisibility=hidden -S -o "$scratch/many.s" "$scratch/many.c"
for v in 1 2 3; do
	fixture x86_64 $v x86_64 x86_64.s
	fixture plt $v x86_64 plt.s -shared -z lazy
	fixture plt-ibt $v x86_64 plt.s -shared -z lazy -z ibtplt
	unlinked rel $v
	fixture many $v x86_64 "$scratch/many.s" -shared -z lazy
	fixture aarch64 $v aarch64 aarch64.s
done
fixture s390x 3 s390x s390x.s # 2.44 can not, and no suite has 2.45

# live NAME VERSION ABI AS-OPTION...: a program that comes to rest
live() {
	local name=live/$1 v=$2 abi=$3
	local x=$(cross "$3")
	shift 3
	tool "$v" "${x}as" "$@" -o "$scratch/live.o" "live/$abi.s"
	tool "$v" "${x}ld" --eh-frame-hdr -z max-page-size=4096 -o "$name" "$scratch/live.o"
}

for v in 1 2 3; do
	live walk-v$v $v x86_64 --gsframe
	live walk-aarch64-v$v $v aarch64 --gsframe
done
live walk-s390x-v3 3 s390x --gsframe
live walk-cfi 1 x86_64 --defsym CFI=1
live walk-aarch64-cfi 1 aarch64 --defsym CFI=1
live walk-s390x-cfi 1 s390x --defsym CFI=1

# frames PROGRAM [EMULATOR...]: by gdb, at the leaf's first instruction, as gdb
# can not follow a return address in a floating-point register
frames() {
	local prog=$1 ask=(-ex "break *leaf" -ex continue -ex backtrace -ex kill)
	shift
	if [ $# = 0 ]; then
		ask=(-ex starti "${ask[@]}")
	else
		rm -f "$scratch/gdb"
		"$@" -g "$scratch/gdb" "$prog" >/dev/null 2>&1 &
		until [ -S "$scratch/gdb" ]; do sleep 0.1; done
		ask=(-ex "target remote $scratch/gdb" "${ask[@]}")
	fi
	gdb-multiarch -nx -batch "${ask[@]}" "$prog" 2>"$scratch/gdb.err" |
		sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)\?\([a-z_]*\) ().*/\2/p'
}

# Those of .eh_frame, which must be the same for all machines. The CPU is one
# without signed return addresses, which not every gdb knows of in qemu.
frames live/walk-cfi >live/walk.frames
frames live/walk-aarch64-cfi qemu-aarch64 -cpu cortex-a57 | diff live/walk.frames -
frames live/walk-s390x-cfi qemu-s390x | diff live/walk.frames -
