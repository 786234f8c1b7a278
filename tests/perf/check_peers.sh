#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# check_peers.sh DEFERRED MERGED UNCOIL
#
# perf must see in our recordings what we see: the deferred one is read by
# perf 7.2, the first that stitches, the merged one by the distribution's own
# perf. Both are compared with `UNCOIL script`: same samples, same addresses.
#
# perf 7.2 comes from a newer Debian suite of the mirror that this machine
# uses anyway, and is only unpacked: it runs through its own ld.so, nothing is
# installed. UNCOIL_PERF_CACHE: where to (default ${XDG_CACHE_HOME:-/var/cache}/uncoil-perf72).
#
# Exit code: 0 the same, 1 not, 2 usage, 77 perf cannot be had here (skipped).

set -eu

SUITES="forky sid"
OLDEST=7.2
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
MAX_STACK=8192 # perf's default cuts chains at 127

say() { echo "check_peers: $*" >&2; }
skip() { say "skipped: $*"; exit 77; }

[ $# -eq 3 ] || { say "usage: check_peers.sh DEFERRED MERGED UNCOIL"; exit 2; }
deferred=$1 merged=$2 uncoil=$3
for file in "$deferred" "$merged"; do
	[ -r "$file" ] || { say "$file: cannot be read"; exit 2; }
done

cache=${UNCOIL_PERF_CACHE:-${XDG_CACHE_HOME:-/var/cache}/uncoil-perf72}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
export LC_ALL=C PERF_CONFIG=/dev/null DEBUGINFOD_URLS="" PAGER=cat

# ---- getting perf ----

# An apt of its own in $work/apt: the machine's lists, state and packages are
# neither used nor touched. With an empty package status it knows of nothing
# installed, so a simulated install names all libraries; and it cannot find
# dpkg. Never let it run a real install: that would be this machine's.
write_apt_conf() {
	mkdir -p "$work/apt/etc/none" "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial"
	: >"$work/apt/state/status"
	cat >"$work/apt/conf" <<-CONF
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Dir::Etc::SourceList "$work/apt/etc/sources.list";
		Dir::Etc::SourceParts "$work/apt/etc/none";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "$work/apt/etc/none";
		Dir::State "$work/apt/state";
		Dir::State::Lists "$work/apt/state/lists";
		Dir::State::Status "$work/apt/state/status";
		Dir::Cache "$work/apt/cache";
		Dir::Cache::Archives "$work/apt/cache/archives";
		Dir::Log "$work/apt";
		Dir::Bin::dpkg "/bin/false";
		APT::Sandbox::User "root";
		APT::Install-Recommends "false";
		Acquire::Languages "none";
	CONF
}

private_apt() {
	tool=$1
	shift
	"$tool" -qq -c "$work/apt/conf" "$@"
}

# The addresses that the machine's apt is set up with, in its order.
# shellcheck disable=SC2016 # apt expands it
machine_mirrors() {
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		awk '!seen[$0]++'
}

# fetch_from MIRROR SUITE DIR: unpack perf and all its libraries under DIR.
fetch_from() {
	echo "deb [signed-by=$KEYRING] $1 $2 main" >"$work/apt/etc/sources.list"
	private_apt apt-get update >"$work/log" 2>&1 || return 1
	version=$(private_apt apt-cache policy linux-perf 2>>"$work/log" |
		awk '$1 == "Candidate:" { print $2 }')
	case $version in '' | '(none)') return 1 ;; esac
	dpkg --compare-versions "$version" ge "$OLDEST" || return 1

	say "fetching perf $version ($2)"
	private_apt apt-get --simulate install linux-perf 2>>"$work/log" |
		sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' >"$work/packages"
	[ -s "$work/packages" ] || return 1
	mkdir -p "$work/debs"
	(cd "$work/debs" && xargs apt-get -qq -c "$work/apt/conf" download <"$work/packages") \
		>>"$work/log" 2>&1 || return 1
	rm -rf "$3.new"
	mkdir -p "$3.new"
	for deb in "$work/debs"/*.deb; do
		dpkg-deb -x "$deb" "$3.new" || return 1
	done
	rm -rf "$work/debs" "$3.new/usr/share/doc" "$3.new/usr/share/man" "$3.new/usr/share/locale"
	echo "$version" >"$3.new/version"
	# At once or not at all: another run may look.
	rm -rf "$3"
	mv "$3.new" "$3"
}

# Where the unpacked perf's libraries are.
new_perf_libs() {
	for libc in "$1"/usr/lib/*/libc.so.6 "$1"/lib/*/libc.so.6; do
		[ -e "$libc" ] && { dirname "$libc"; return 0; }
	done
	return 1
}

new_perf() {
	libs=$(new_perf_libs "$cache")
	set -- "$cache/usr/bin/perf" "$@"
	for loader in "$libs"/ld-linux*.so.* "$libs"/ld64.so.*; do
		if [ -e "$loader" ]; then
			"$loader" --library-path "$libs" "$@"
			return
		fi
	done
	return 127
}

get_new_perf() {
	if [ -e "$cache/version" ] && new_perf --version >/dev/null 2>&1; then
		return 0
	fi
	for tool in apt-get apt-cache dpkg dpkg-deb; do
		command -v $tool >/dev/null || skip "no $tool to fetch perf $OLDEST with"
	done
	[ -r "$KEYRING" ] || skip "no $KEYRING to check Debian's packages with"
	mkdir -p "$(dirname "$cache")"
	write_apt_conf
	for mirror in $(machine_mirrors); do
		for suite in $SUITES; do
			fetch_from "$mirror" "$suite" "$cache" || continue
			new_perf --version >/dev/null 2>"$work/log" && return 0
		done
	done
	cat "$work/log" >&2 2>/dev/null || :
	skip "no mirror of this machine's apt has linux-perf $OLDEST or newer in $SUITES"
}

# Its own perf, installed or else only unpacked, with this machine's libraries.
get_own_perf() {
	own_perf=perf
	perf --version >/dev/null 2>&1 && return 0
	own_perf=$work/own/usr/bin/perf
	mkdir -p "$work/own"
	(cd "$work/own" && apt-get -qq download linux-perf && dpkg-deb -x linux-perf_*.deb .) \
		>"$work/log" 2>&1 || { cat "$work/log" >&2; skip "no linux-perf of this distribution"; }
	"$own_perf" --version >/dev/null 2>"$work/log" ||
		{ cat "$work/log" >&2; skip "this distribution's linux-perf lacks libraries here"; }
}

# ---- comparing ----

# Copies are compared, without two things that perf shows in a way of its own:
# - user addresses relative to the file that is mapped there: mappings become
#   throttle records, which readers pass over, and addresses are printed whole;
# - a cookie that no chain answers, as an address: the sample's chain ends before it.
# Fields are where our writer puts them (lib/uc_perfdata.h).
adapt() {
	cp "$1" "$2"
	chmod u+w "$2"
	perl -e '
		my ($path) = @ARGV;
		my ($file, $head, %answered);
		open $file, "+<:raw", $path or die "$path: $!\n";
		read $file, $head, 104;
		die "$path: no perf.data\n" unless unpack("Q", $head) == 0x32454c4946524550;
		my ($start, $length) = unpack "x40 Q2", $head;

		sub each_record {
			my ($call) = @_;
			my ($at, $size, $type, $record);
			for ($at = $start; $at < $start + $length; $at += $size) {
				seek $file, $at, 0;
				read $file, $record, 8;
				($type, $size) = unpack "L x2 S", $record;
				die "$path: record at $at has size $size\n" if $size < 8;
				read $file, $record, $size - 8, 8;
				$call->($at, $type, $record);
			}
		}
		sub patch { my ($at, $bytes) = @_; seek $file, $at, 0; print $file $bytes; }

		each_record(sub {
			my ($at, $type, $record) = @_;
			return unless $type == 22;
			my ($cookie) = unpack "x8 Q", $record;
			my ($tid) = unpack "x4 L", substr $record, -24;
			$answered{"$tid $cookie"} = 1;
		});
		each_record(sub {
			my ($at, $type, $record) = @_;
			patch($at, pack "L", 5) if $type == 1 || $type == 10;
			return unless $type == 9;
			my ($tid, $nr) = unpack "x20 L x24 Q", $record;
			return if $nr < 2;
			my ($marker, $cookie) = unpack "q Q", substr $record, 56 + 8 * ($nr - 2), 16;
			patch($at + 48, pack "Q", $nr - 2)
				if $marker == -640 && !$answered{"$tid $cookie"};
		});
		close $file or die "$path: $!\n";
	' "$2"
}

# One line a sample, "comm tid time: address address...", in a fixed order:
# perf delivers a deferred sample when its chain comes, we at its own time.
chains() {
	awk '
		function flush() { if (head != "") print head ips; head = ips = "" }
		/^[ \t]*$/ { flush(); next }
		match($0, /[ \t][0-9]+\.[0-9]+:/) {
			flush()
			head = substr($0, 1, RSTART + RLENGTH - 1)
			gsub(/[ \t]+/, " ", head)
			sub(/^ /, "", head)
			$0 = substr($0, RSTART + RLENGTH)
		}
		{ for (i = 1; i <= NF; i++) ips = ips " " $i }
		END { flush() }
	' | sort
}

# compare FILE WHO COMMAND...: what COMMAND script makes of FILE, and what we make of it
compare() {
	file=$1 who=$2
	shift 2
	adapt "$file" "$work/recording"
	if ! "$@" script -f --no-inline --max-stack $MAX_STACK -F comm,tid,time,ip \
		-i "$work/recording" >"$work/theirs" 2>"$work/log"; then
		say "$who cannot read $file:"
		cat "$work/log" >&2
		return 1
	fi
	if ! "$uncoil" script -F comm,tid,time,ip -i "$work/recording" >"$work/ours" 2>"$work/log"; then
		say "$uncoil cannot read $file:"
		cat "$work/log" >&2
		return 1
	fi
	chains <"$work/theirs" >"$work/theirs.chains"
	chains <"$work/ours" >"$work/ours.chains"
	samples=$(wc -l <"$work/theirs.chains")
	if [ "$samples" -eq 0 ]; then
		say "$who sees no sample in $file"
		return 1
	fi
	if ! cmp -s "$work/theirs.chains" "$work/ours.chains"; then
		say "$file: $who sees $samples samples, uncoil $(wc -l <"$work/ours.chains"); <theirs >ours:"
		diff "$work/theirs.chains" "$work/ours.chains" | head -20 >&2
		return 1
	fi
	addresses=$(sed 's/.*[0-9]: *//' "$work/theirs.chains" | wc -w)
	echo "check_peers: $file: $who and uncoil see the same $samples samples, $addresses addresses"
}

get_new_perf
get_own_perf
result=0
compare "$deferred" "perf $(cat "$cache/version")" new_perf || result=1
compare "$merged" "$("$own_perf" --version)" "$own_perf" || result=1
exit $result
