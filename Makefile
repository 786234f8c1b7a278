# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
#   make          build the tool, and the core as a plug-in of the oracle
#   make demo     record two stock programs and show their trees (root)
#   make check    all tests (root, for those that load BPF)
#   make rows-all rows of every ELF file of this machine against readelf's; minutes
#   make fuzz     each decoder for FUZZ_SECONDS (needs libclang-rt-19-dev)
#   make bench    figures beside perf's, in one run (root)
#   make install  to $(DESTDIR)$(PREFIX)
#
# demo, check and bench install the packages that they miss.

VERSION := 0.1
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= gcc
CXX ?= g++
CLANG ?= $(or $(shell command -v clang-19 || command -v clang-20 || command -v clang-21 || command -v clang),clang-19)
CFLAGS ?= -O2 -g
B := build

INCLUDES := -Ilib/port -Icore -Iinclude -Ilib
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
ALL_CFLAGS = -std=gnu11 $(WARNINGS) $(INCLUDES) -DUNCOIL_VERSION='"$(VERSION)"' -MMD -MP $(CFLAGS)
LIBS := -lbpf -ldw -lelf -llzma -lzstd -lz -l:libiberty.a

CORE := $(sort $(patsubst core/%.c,%,$(wildcard core/*.c core/arch/*.c)))
LIB := $(sort $(patsubst lib/%.c,%,$(wildcard lib/*.c)))
CLI := $(sort $(patsubst cli/%.c,%,$(wildcard cli/*.c)))

CORE_OBJS := $(CORE:%=$B/core/%.o)
LIB_OBJS := $(LIB:%=$B/lib/%.o) $B/lib/uc_engine_object.o
CLI_OBJS := $(CLI:%=$B/cli/%.o)
ARCHIVE := $B/libuncoil.a
BPF := $B/bpf/uncoil.bpf.o

.PHONY: all build demo check rows-all bench install clean packages
all: $B/uncoil $B/tests/plug_uncoil.so

# ---- the tool ----

$B/uncoil: $(CLI_OBJS) $(ARCHIVE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(ARCHIVE): $(CORE_OBJS) $(LIB_OBJS)
	rm -f $@
	ar rcs $@ $^

$B/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$B/cli/%.o: ALL_CFLAGS += -Icli

$B/lib/uc_engine_object.o: lib/uc_engine_object.S $(BPF)
	@mkdir -p $(@D)
	$(CC) -DUC_BPF_OBJECT='"$(BPF)"' -c -o $@ $<

# ---- the engine ----

# -nostdinc would lose linux/; the host's headers give types and numbers only.
BPF_CFLAGS := -O2 -g -target bpf -mcpu=v4 -D__TARGET_ARCH_x86 -Wall -Wno-unused-function \
	-Ibpf/port -Ibpf -Icore -Iinclude -I/usr/include/$(shell $(CC) -print-multiarch)

$(BPF): bpf/uncoil.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<

# ---- tests ----

UNIT := $(sort $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c)))
UNIT_BINS := $(UNIT:%=$B/tests/%)
TEST_BINS := $(UNIT_BINS) $B/tests/walk_ptrace $B/tests/walk_core $B/tests/sframe_at $B/tests/plug_uncoil.so

$B/tests/test_%: tests/unit/test_%.c $(ARCHIVE) $(filter-out $B/cli/uncoil.o,$(CLI_OBJS))
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Icli -o $@ $< $(filter-out $B/cli/uncoil.o,$(CLI_OBJS)) $(ARCHIVE) $(LIBS) -lcmocka

$B/tests/walk_%: tests/tools/walk_%.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(ARCHIVE) $(LIBS)

$B/tests/sframe_at: tests/tools/sframe_at.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(ARCHIVE) -lcmocka

PLUGIN_SOURCES := tests/oracle/plug_uncoil.c lib/uc_vmas.c lib/uc_port.c lib/uc_port_cache.c lib/uc_unwind.c $(CORE:%=core/%.c)
$B/tests/plug_uncoil.so: $(PLUGIN_SOURCES)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests/oracle -fPIC -shared -fvisibility=hidden -o $@ $(PLUGIN_SOURCES)

check:
	tools/packages.sh check
	$(MAKE) all $(TEST_BINS) $(FUZZ:%=$B/fuzz/replay_%)
	tests/run.sh

rows-all: all
	UNCOIL_ROWS_ALL=1 tests/run.sh rows

demo:
	tools/packages.sh demo
	$(MAKE) all
	tools/demo.sh

bench:
	tools/packages.sh bench
	$(MAKE) all bench-programs
	bench/run.sh

# ---- the rest ----

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $B/uncoil $(DESTDIR)$(PREFIX)/bin/
	install -m 644 docs/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/

clean:
	rm -rf $B

include bench/bench.mk fuzz/fuzz.mk
-include $(wildcard $B/*/*.d $B/*/*/*.d)
