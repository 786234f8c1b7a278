#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run.sh [--costs | --walks | --samples | --first | --perf]
#
# All figures, or one part. README.md says what they mean. As root.
#
# ROUNDS=3	recordings of each program by each recorder
# PROGRAMS=...	which programs --perf records
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
bin=$top/build/bench
uncoil=${UNCOIL:-$top/build/uncoil}
rounds=${ROUNDS:-3}
frequency=999
script_seconds=20
python=/usr/bin/python3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
export LC_ALL=C DEBUGINFOD_URLS="" BENCH_OBJECT="$bin/bench.bpf.o"

title() {
	printf '\n== %s\n' "$*"
}

# median COLUMN <lines
median() {
	awk -v c="$1" '{ print $c }' | sort -n |
		awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ---- costs.csv ----

costs() {
	title "the verifier's work: instructions it looked at, machine code, time to load alone"
	"$bin/bench_costs" "$top/build/bpf/uncoil.bpf.o" "${1:-5}" >"$dir/costs"
	awk '$1 == "all" { printf "%-12s %10s %10s %6d ms\n", $1, "", "", $4; next }
		{ printf "%-12s %10d %10d %6d ms\n", $1, $2, $3, $4 }
		BEGIN { printf "%-12s %10s %10s\n", "program", "insns", "bytes" }' "$dir/costs"
	awk 'BEGIN { print "program,verified_insns,jited_bytes" }
		$1 != "all" { print $1 "," $2 "," $3 }' "$dir/costs" >"$dir/costs.csv"
	if cmp -s "$dir/costs.csv" "$here/costs.csv"; then
		echo "bench/costs.csv: unchanged"
		return
	fi
	[ ! -e "$here/costs.csv" ] || diff "$here/costs.csv" "$dir/costs.csv" || :
	cp "$dir/costs.csv" "$here/costs.csv"
	echo "bench/costs.csv: updated"
}

# ---- walks ----

walks() {
	title "walks of one stack in the engine: ns a frame, median [p10 p90]"
	printf '%-10s %-23s %-23s %-23s %9s %9s\n' "" "frame pointers" "CFI, rows cached" \
		"CFI, rows interpreted" cached/fp int/cached
	"$bin/bench_walk" deep
	"$bin/bench_walk" chain "$bin"
	LD_PRELOAD=$bin/bench_python.so "$python" "$here/subjects/ppid.py"
}

# ---- in a recording ----

samples() {
	title "what a sample costs: 67 frames, a thousand a second; median of means over 10 ms [p10 p90]"
	"$bin/bench_sample" sample "$bin/spin" 3000
}

first() {
	title "the first stack of fresh copies of a program, sampled every 10 ms; median [p10 p90]"
	"$bin/bench_sample" first 20 "$bin/spin"
}

# ---- beside perf ----

# set_program NAME: its command to $command (words without blanks), its file to $exe
set_program() {
	case $1 in
	rec | rec-fp) exe=$bin/$1 command="$bin/$1 16000" ;;
	sort) exe=$bin/sort command="$bin/sort 6" ;;
	xz) exe=$(command -v xz) command="xz -T1 -3 -k -c $dir/data" ;;
	python3) exe=$python command="$python $here/subjects/work.py 40" ;;
	cc1plus)
		exe=$(g++ -print-prog-name=cc1plus)
		command="$exe -quiet -O2 -fpreprocessed $dir/compile.ii -o $dir/compile.s"
		;;
	esac
}

prepare() {
	cat /usr/lib/*/libc.so.6 /usr/lib/*/libstdc++.so.6 /usr/bin/python3 2>/dev/null |
		head -c 3000000 >"$dir/data"
	g++ -O2 -E -o "$dir/compile.ii" "$here/subjects/compile.cc"
}

# record RECORDER FILE COMMAND...: CPU ms and elapsed ms of it all. Repeated when
# it fails: perf 6.1 aborts now and then with stacks of 64 KiB.
record() {
	recorder=$1 file=$2
	shift 2
	case $recorder in
	none) ;;
	uncoil) set -- "$uncoil" record -q -e cpu-clock -F "$frequency" -o "$file" -- "$@" ;;
	*)
		set -- perf record -q -e cpu-clock -F "$frequency" --call-graph "$recorder" \
			-o "$file" -- "$@"
		;;
	esac
	tries=1
	until "$bin/bench_cpu" "$@" >"$dir/cpu" 2>"$dir/err"; do
		echo "$recorder: $(tail -n 1 "$dir/err")" >>"$dir/failed"
		if [ "$tries" = 5 ]; then
			echo "bench: failed five times: $*" >&2
			cat "$dir/err" >&2
			exit 1
		fi
		tries=$((tries + 1))
	done
	cat "$dir/cpu"
}

elf_entry() {
	echo "$(basename "$1"):$(readelf -h "$1" | sed -n 's/.*Entry point address: *0x//p')"
}

# script RECORDER FILE: its stacks as text, in $script_seconds at most
script() {
	case $1 in
	uncoil) timeout "$script_seconds" "$uncoil" script -F ip,sym,dso -i "$2" ;;
	*) timeout "$script_seconds" perf script --no-inline -F ip,sym,dso -i "$2" ;;
	esac 2>/dev/null || echo >"$dir/cut"
}

# Samples lost, samples, and complete stacks by uncoil's own count.
own_counts() {
	case $1 in
	uncoil) "$uncoil" report --json -i "$2" | awk '
		/"samples"/ { samples = $2 + 0 }
		/"complete"/ { complete = $2 + 0 }
		/"lost"/ { for (i = 2; i <= NF; i++) lost += $i + 0 }
		END { print lost + 0, samples + 0, complete + 0 }' ;;
	*) perf report --stats -i "$2" 2>/dev/null | awk '
		/ SAMPLE events/ && !samples { samples = $3 }
		/LOST/ && / events/ { lost += $3 }
		END { print lost + 0, samples + 0, "-" }' ;;
	esac
}

# score RECORDER FILE: a line of figures of the recording
score() {
	loader=$(readelf -p .interp "$exe" | sed -n 's/.*\] *\(\/.*\)/\1/p')
	rm -f "$dir/cut"
	script "$1" "$2" | awk -f "$here/score.awk" -v exe="$(elf_entry "$(readlink -f "$exe")")" \
		-v loader="$(elf_entry "$(readlink -f "$loader")")" >"$dir/scored"
	own_counts "$1" "$2" >"$dir/own"
	size=$(stat -c %s "$2")
	cut=
	[ ! -e "$dir/cut" ] || cut="first $script_seconds s of perf script"
	paste -d ' ' "$dir/scored" "$dir/own" | awk -v size="$size" -v cut="$cut" '{
		printf "%7d %6d %7d %8.1f %7.2f %7.2f %8s  ", $7, $6, $7 ? size / $7 : 0,
			$1 ? $4 / $1 : 0, $1 ? 100 * $5 / $1 : 0, $1 ? 100 * $2 / $1 : 0, $8
		if (cut) printf "(%d scored: %s) ", $1, cut
	}'
}

# ratios PROGRAM RECORDER: of CPU time with and without it, whole and without its start-up
ratios() {
	paste -d ' ' "$dir/cpu.$1.$2" "$dir/cpu.$1.none" "$dir/start.$1.$2" >"$dir/rounds"
	awk '{ print $1 / $3 }' "$dir/rounds" | median 1 | awk '{ printf "%6.3f", $1 }'
	awk '{ print ($1 - $5) / $3 }' "$dir/rounds" | median 1 | awk '{ printf " %6.3f\n", $1 }'
}

# With frame pointers in the program: what they give at their best.
set_recorders() {
	case $1 in
	*-fp) recorders="fp uncoil" ;;
	*) recorders="fp dwarf,8192 dwarf,65528 uncoil" ;;
	esac
}

# record_rounds PROGRAM COMMAND...: it, and a program that does nothing
record_rounds() {
	name=$1
	shift
	set_recorders "$name"
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for r in none $recorders; do
			record "$r" "$dir/start.data" /bin/true >>"$dir/start.$name.$r"
			record "$r" "$dir/$r.data" "$@" >>"$dir/cpu.$name.$r"
		done
		round=$((round + 1))
	done
}

print_starts() {
	printf 'CPU ms to record a program that does nothing:'
	for r in fp dwarf,8192 dwarf,65528 uncoil; do
		[ ! -e "$dir/start.$1.$r" ] || printf ' %s %.0f' "$r" "$(cat "$dir"/start.*."$r" | median 1)"
	done
	printf '\n'
}

beside_perf() {
	title "recordings at $frequency Hz of CPU time, and their cost in CPU time"
	prepare
	printf '%-8s %-11s %7s %6s %7s %8s %7s %7s %8s  %6s %6s\n' program recorder samples lost \
		bytes/s frames/s main% whole% counted CPU -start
	for program in ${PROGRAMS:-rec rec-fp sort xz python3 cc1plus}; do
		set_program "$program"
		# shellcheck disable=SC2086
		record_rounds "$program" $command
		for r in $recorders; do
			printf '%-8s %-11s ' "$program" "$r"
			score "$r" "$dir/$r.data"
			ratios "$program" "$r"
			rm -f "$dir/$r.data"*
		done
	done
	print_starts "$program"
	[ ! -e "$dir/failed" ] || sort "$dir/failed" | uniq -c |
		sed 's/^ *\([0-9]*\) /failed, and was repeated, \1 times: /'
}

if [ "$(id -u)" != 0 ]; then
	echo "bench: loads BPF programs and records with kernel stacks: run it as root" >&2
	exit 1
fi
make -s -C "$top" bench-programs
case ${1:-all} in
--costs) costs 1 ;;
--walks) walks ;;
--samples) samples ;;
--first) first ;;
--perf) beside_perf ;;
all)
	uname -srm
	walks
	samples
	first
	costs
	beside_perf
	;;
*)
	echo "usage: bench/run.sh [--costs | --walks | --samples | --first | --perf]" >&2
	exit 2
	;;
esac
