/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* orjudge.c - judges an unwinder offline on records that "oracle -o" wrote.
 *   orjudge REC -p PLUGIN.so      same plug-in ABI (oracle.h); ctx->pid is 0
 *   orjudge REC -c 'COMMAND'      text protocol on COMMAND's stdin/stdout (below)
 *   orjudge REC -t                prints records as text
 *   -k N: every N-th record   -u: first visits of a pc only   -v N: print N bad ones
 * Text protocol, one line each:
 *   -> MAPS nbytes, followed by the text of /proc/PID/maps      (whenever it changes)
 *   -> STEP rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip         (hex, DWARF order)
 *   <- READ addr len      -> hex bytes, or an empty line if unknown
 *   <- FRAMES pc0 pc1 ... (hex; ends the step)
 * Memory served: recorded stack bytes, else bytes of mapped files. */
#define _GNU_SOURCE
#include "oracle.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char *maps; static unsigned gen;
static struct reg { uint64_t base; size_t n; uint8_t *b; } reg[8]; static int nreg;   /* 8 MiB windows of recorded memory */
#define WIN (8ull << 20)
static void chunk(uint64_t a, const uint8_t *b, size_t n) {
  struct reg *r = 0; for (int i = 0; i < nreg; i++) if (a >= reg[i].base && a + n <= reg[i].base + reg[i].n) r = &reg[i];
  if (!r) { if (nreg == 8) return; r = &reg[nreg++]; r->base = (a & ~(WIN - 1)) - WIN; r->n = 2 * WIN; r->b = calloc(1, r->n); }
  memcpy(r->b + (a - r->base), b, n);
}
static struct mf { char p[256]; int fd; } mf[128]; static int nmf;
static size_t rd(struct or_ctx *c, uint64_t a, void *b, size_t n) {
  (void)c;
  static struct { uint64_t lo, hi, off; int fd; } mc; static unsigned cg = ~0u;
  if (cg != gen || a < mc.lo || a + n > mc.hi) {
    cg = ~0u; mc.lo = mc.hi = 0;
    for (char *p = maps; p && *p;) {
      unsigned long l, h, o; char perm[8], path[256] = ""; char *e = strchr(p, '\n');
      if (sscanf(p, "%lx-%lx %7s %lx %*s %*s %255[^\n]", &l, &h, perm, &o, path) >= 4 && a >= l && a + n <= h) {
        mc.lo = l; mc.hi = h; mc.off = o; mc.fd = -1; cg = gen;
        if (path[0] == '/' && perm[1] != 'w') {
          int i; for (i = 0; i < nmf; i++) if (!strcmp(mf[i].p, path)) break;
          if (i == nmf && nmf < 128) { strcpy(mf[nmf].p, path); mf[nmf++].fd = open(path, O_RDONLY); }
          if (i < nmf) mc.fd = mf[i].fd;
        }
        break;
      }
      if (!e) break;
      p = e + 1;
    }
  }
  if (cg == gen && mc.fd >= 0) { ssize_t k = pread(mc.fd, b, n, a - mc.lo + mc.off); return k < 0 ? 0 : k; }
  for (int i = 0; i < nreg; i++) if (a >= reg[i].base && a + n <= reg[i].base + reg[i].n) { memcpy(b, reg[i].b + (a - reg[i].base), n); return n; }
  return 0;
}
static FILE *to, *from;
static int ask(struct or_ctx *c, const uint64_t *R, uint64_t *pc, uint64_t *cfa, int max) {
  static unsigned sent = ~0u; static char *l; static size_t cap; (void)cfa;
  if (sent != gen) { fprintf(to, "MAPS %zu\n%s", strlen(maps), maps); sent = gen; }
  fprintf(to, "STEP"); for (int i = 0; i < OR_NREG; i++) fprintf(to, " %lx", R[i]);
  fprintf(to, "\n"); fflush(to);
  while (getline(&l, &cap, from) > 0) {
    unsigned long a, n;
    if (sscanf(l, "READ %lx %lu", &a, &n) == 2) { uint8_t b[4096]; if (n > sizeof b) n = sizeof b; size_t k = rd(c, a, b, n); for (size_t i = 0; i < k; i++) fprintf(to, "%02x", b[i]); fprintf(to, "\n"); fflush(to); }
    else if (!strncmp(l, "FRAMES", 6)) { int k = 0; char *p = l + 6, *e; while (k < max) { uint64_t v = strtoull(p, &e, 16); if (e == p) break; pc[k++] = v; p = e; } return k; }
  }
  return 0;
}
int main(int c, char **v) {
  or_unwind_fn *f = 0; int text = 0, uniq = 0, verbose = 0, m1 = 0; uint64_t every = 1;
  if (c < 3) return fprintf(stderr, "usage: orjudge REC -p plugin.so | -c command | -t  [-k N] [-u] [-v N]\n"), 2;
  FILE *in = fopen(v[1], "rb"); if (!in) { perror(v[1]); return 2; }
  setvbuf(in, 0, _IOFBF, 1 << 20);
  for (int o; (o = getopt(c - 1, v + 1, "p:c:tk:uv:")) != -1;) switch (o) {
    case 'p': { void *h = dlopen(optarg, RTLD_NOW); if (!h) { fprintf(stderr, "%s\n", dlerror()); return 2; } f = (or_unwind_fn *)dlsym(h, "or_unwind"); int *q = dlsym(h, "or_pc_minus_one"); m1 = q && *q; break; }
    case 'c': { int a[2], b[2]; if (pipe(a) || pipe(b)) return 2; if (!fork()) { dup2(a[0], 0); dup2(b[1], 1); close(a[1]); close(b[0]); execl("/bin/sh", "sh", "-c", optarg, (char *)0); _exit(127); } close(a[0]); close(b[1]); to = fdopen(a[1], "w"); from = fdopen(b[0], "r"); f = ask; break; }
    case 't': text = 1; break; case 'k': every = strtoull(optarg, 0, 0); break; case 'u': uniq = 1; break; case 'v': verbose = atoi(optarg); break; default: return 2; }
  struct or_ctx x = {.read = rd}; struct or_blk b; uint64_t nrec = 0, looked = 0, ok = 0, sh = 0, lg = 0, wr = 0, rw = 0; static uint64_t pc[OR_MAXF], cfa[OR_MAXF];
  uint8_t *buf = 0; size_t cap = 0;
  while (fread(&b, sizeof b, 1, in) == 1) {
    if (b.len + 1 > cap) buf = realloc(buf, cap = b.len + 1);
    if (fread(buf, b.len, 1, in) != 1 && b.len) break;
    buf[b.len] = 0;
    if (b.type == OR_B_MAPS) { free(maps); maps = strdup((char *)buf); gen++; }
    else if (b.type == OR_B_CHUNK) { uint64_t a; memcpy(&a, buf, 8); chunk(a, buf + 8, b.len - 8); }
    else if (b.type == OR_B_STEP) {
      struct or_step *s = (struct or_step *)buf; struct or_true *t = (struct or_true *)(s + 1);
      if (nrec++ % every || (uniq && !(s->flags & 1))) continue;
      if (text) { printf("%lu pc %lx sp %lx bp %lx true", s->index, s->regs[16], s->regs[7], s->regs[6]); for (uint32_t i = 0; i < s->n; i++) printf(" %lx@%lx", t[i].ret, t[i].slot); puts(""); continue; }
      if (!f) continue;
      x.maps = maps; x.maps_gen = gen; memset(cfa, 0, sizeof cfa); looked++;
      int n = f(&x, s->regs, pc, cfa, OR_MAXF), want = s->n + 1, bad = 0;
      while (n > 1 && !pc[n - 1]) n--;
      for (int i = 1; i < n && i < want && !bad; i++) if (pc[i] != t[i - 1].ret && !(m1 && pc[i] + 1 == t[i - 1].ret)) bad = i;
      uint64_t mem;
      if (bad && rd(&x, t[bad - 1].slot, &mem, 8) == 8 && mem != t[bad - 1].ret) rw++;
      else if (bad) wr++; else if (n < want) sh++, bad = n; else if (n > want) lg++, bad = want; else ok++;
      if (bad && verbose-- > 0) fprintf(stderr, "BAD #%lu pc %lx frame %d: got %lx true %lx (%d of %d)\n", s->index, s->regs[16], bad, bad < n ? pc[bad] : 0, bad < want ? t[bad - 1].ret : 0, n, want);
    }
  }
  if (!text) printf("records %lu looked %lu ok %lu short %lu long %lu wrong %lu rewritten %lu error-rate %.4f%%\n", nrec, looked, ok, sh, lg, wr, rw, looked ? 100.0 * (looked - ok - rw) / looked : 0);
  return 0;
}
