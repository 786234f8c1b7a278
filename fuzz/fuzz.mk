# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Fuzzing; included by the Makefile, which has B, CC, CLANG, CORE, INCLUDES.
#
#   make fuzz [FUZZ_SECONDS=n] [FUZZ=name...]   each target for n seconds, with
#             clang's libFuzzer and sanitizers; what it
#             finds is left in build/fuzz/
#   make replay   every seed through the same code, built by $(CC); in check
#
# Seeds are made by fuzz/make_seeds.py. An input that libFuzzer found:
#   build/fuzz/replay_NAME FILE

FUZZ_SECONDS ?= 30
FUZZ ?= $(sort $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c)))

FUZZ_CORE := $(CORE:%=core/%.c) lib/uc_port.c
FUZZ_SOURCES_hdr := $(FUZZ_CORE)
FUZZ_SOURCES_cfa := $(FUZZ_CORE)
FUZZ_SOURCES_expr := $(FUZZ_CORE)
FUZZ_SOURCES_elf := $(FUZZ_CORE)
FUZZ_SOURCES_walk := $(FUZZ_CORE)
FUZZ_SOURCES_sframe := $(FUZZ_CORE)
FUZZ_SOURCES_check = $(FUZZ_SOURCES_rows) lib/uc_check.c lib/uc_compare.c lib/uc_padding.c lib/uc_ranges.c \
	lib/uc_survey.c lib/uc_trial.c
FUZZ_SOURCES_vmas := lib/uc_vmas.c
FUZZ_SOURCES_perfdata := lib/uc_perfdata_header.c lib/uc_perfdata_read.c lib/uc_perfdata_record.c
FUZZ_SOURCES_debugframe := lib/uc_debugfile.c lib/uc_debugframe.c lib/uc_frameindex.c lib/uc_unpack.c
FUZZ_SOURCES_rows := $(FUZZ_SOURCES_debugframe) $(CORE:%=core/%.c) $(addprefix lib/,uc_exprtext.c uc_image.c \
	uc_port.c uc_port_cache.c uc_regnames.c uc_rows.c uc_rowtext.c)
FUZZ_LIBS_check = $(FUZZ_LIBS_debugframe)
FUZZ_LIBS_rows = $(FUZZ_LIBS_debugframe)
FUZZ_SOURCES_exprtext := lib/uc_exprtext.c lib/uc_regnames.c
FUZZ_LIBS_debugframe := -ldw -lelf -llzma -lzstd -lz
FUZZ_SOURCES_core := $(FUZZ_CORE) $(FUZZ_SOURCES_debugframe) $(addprefix lib/uc_,$(addsuffix .c,\
	corefile corefile_image corefile_notes debugfiles unwind port_cache))
FUZZ_LIBS_core := $(FUZZ_LIBS_debugframe)

FUZZ_DEPS := $(wildcard core/*.[ch] core/arch/*.[ch] lib/*.[ch] lib/port/*.h include/uncoil/*.h fuzz/*.[ch])
FUZZ_CFLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer -Wall -Wextra $(INCLUDES) -Ifuzz \
	-fno-sanitize-recover=undefined

$B/fuzz/fuzz_%: $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer,address,undefined -o $@ fuzz/fuzz_$*.c $(FUZZ_SOURCES_$*) $(FUZZ_LIBS_$*)

$B/fuzz/replay_%: $(FUZZ_DEPS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) -fsanitize=address,undefined -o $@ fuzz/driver.c fuzz/fuzz_$*.c $(FUZZ_SOURCES_$*) $(FUZZ_LIBS_$*)

.PHONY: fuzz replay
fuzz:
	tools/packages.sh fuzz
	$(MAKE) $(FUZZ:%=$B/fuzz/fuzz_%)
	@set -e; for f in $(FUZZ); do \
		mkdir -p $B/fuzz/corpus/$$f; \
		echo "fuzz_$$f, $(FUZZ_SECONDS) s"; \
		$B/fuzz/fuzz_$$f -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 \
			-print_final_stats=1 -verbosity=0 -artifact_prefix=$B/fuzz/$$f- \
			$B/fuzz/corpus/$$f fuzz/seeds/$$f; \
	done

replay: $(FUZZ:%=$B/fuzz/replay_%)
	@set -e; for f in $(FUZZ); do \
		test -n "$$(ls fuzz/seeds/$$f)" || { echo "fuzz/seeds/$$f is empty" >&2; exit 1; }; \
		$B/fuzz/replay_$$f fuzz/seeds/$$f/*; \
	done
