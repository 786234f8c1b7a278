# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What bench/run.sh runs. Included by the Makefile, whose variables it uses:
# B CC CXX CLANG ALL_CFLAGS BPF_CFLAGS ARCHIVE LIBS.

BENCH_CHAIN := $(shell seq 0 19)
BENCH_SUBJECTS := $(addprefix $B/bench/,spin rec rec-fp sort sort-fp \
	$(BENCH_CHAIN:%=libchain%.so))
BENCH_BINS := $(BENCH_SUBJECTS) $(addprefix $B/bench/,bench.bpf.o bench_walk bench_python.so bench_sample bench_costs bench_cpu)

.PHONY: bench-programs
bench-programs: $(BENCH_BINS)

# Both the frame pointer's and the CFI's walk must be able to walk them.
BENCH_FP := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer

$B/bench/bench.bpf.o: bench/bench.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -Ibench -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<

$B/bench/bench_walk: bench/bench_walk_main.c bench/bench_walk.c bench/subjects/deep.c bench/subjects/chain_open.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(BENCH_FP) -Ibench -MF $@.d -MT $@ -o $@ $(filter %.c,$^) -lbpf -ldl

$B/bench/bench_python.so: bench/bench_python.c bench/bench_walk.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(BENCH_FP) -Ibench -MF $@.d -MT $@ -fPIC -shared -o $@ $(filter %.c,$^) -lbpf

$B/bench/bench_sample: bench/bench_sample.c $(ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d -MT $@ -o $@ $< $(ARCHIVE) $(LIBS)

$B/bench/bench_costs: bench/bench_costs.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d -MT $@ -o $@ $< -lbpf

$B/bench/bench_cpu: bench/bench_cpu.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MF $@.d -MT $@ -o $@ $<

$B/bench/libchain%.so: bench/subjects/chain.c bench/subjects/subjects.h
	@mkdir -p $(@D)
	$(CC) -O2 -g $(BENCH_FP) -Ibench -DLIB=$* -fPIC -shared -o $@ $<

# As distributions build by default: without frame pointers. -fp: with.
$B/bench/spin: bench/subjects/spin.c bench/subjects/deep.c bench/subjects/subjects.h
	@mkdir -p $(@D)
	$(CC) -O2 -fomit-frame-pointer -o $@ $(filter %.c,$^)

$B/bench/rec: bench/subjects/rec.c bench/subjects/subjects.h
	@mkdir -p $(@D)
	$(CC) -O2 -fomit-frame-pointer -o $@ $<

$B/bench/rec-fp: bench/subjects/rec.c bench/subjects/subjects.h
	@mkdir -p $(@D)
	$(CC) -O2 $(BENCH_FP) -o $@ $<

$B/bench/sort: bench/subjects/sort.cc
	@mkdir -p $(@D)
	$(CXX) -O2 -o $@ $<

$B/bench/sort-fp: bench/subjects/sort.cc
	@mkdir -p $(@D)
	$(CXX) -O2 $(BENCH_FP) -o $@ $<
