/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* oracle.c - ptrace single-step oracle for stack unwinders (x86-64 Linux).
 *
 *   oracle [options] -- prog args...
 *     -p PLUGIN.so   judge this unwinder live (repeatable)
 *     -o FILE        write records (registers, true stack, stack memory, maps)
 *     -k N           look at every N-th instruction only            (default 1)
 *     -u M           look at a pc only on its first M visits   (default 0: all)
 *     -n N           stop after N instructions                      (default 0)
 *     -t             step the first thread that the program makes, from where it begins; the
 *                    others run at full speed
 *     -e             give the program an empty environment
 *     -f             skip everything before the program's own entry point: ld.so's
 *                    start-up runs at full speed, stepping begins at the entry
 *     -v N           print the first N bad unwindings of each plug-in
 *
 * How truth is kept: the process is stepped from its first instruction in
 * ld.so (or, -f, from its entry point), when no frame exists.  A call pushes {return address, slot}; after
 * every instruction all entries whose slot lies below rsp are dropped, which
 * covers ret, longjmp, C++ landing pads and "call next; pop".  A signal pushes
 * two entries: the interrupted pc, and the restorer (__restore_rt); rt_sigreturn
 * drops them whatever stack they are on.
 *
 * Verdicts: ok; short (right, but stops early); long (goes on past the end);
 * wrong (a false frame); rewritten (the true slot no longer holds the return
 * address: eh_return, nothing to be right about; not counted as an error).
 *
 * Limits: one thread at a time; children are not followed; stacks switched by
 * swapcontext-like code are not understood (signal alternate stacks are);
 * siglongjmp out of an alternate stack is not; a string instruction under rep
 * counts as one instruction per iteration (TF semantics); no CET shadow stacks.
 */
#define _GNU_SOURCE
#include "oracle.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t pid;
static FILE *out;
static char *maps;
static unsigned gen;

struct ent { uint64_t ret, slot; int sig; int sid; };
static struct ent sh[1 << 16];
static int nsh, sid;
static uint64_t mismatches;

/* ---------- memory of the tracee ---------- */
static size_t rd(uint64_t a, void *b, size_t n) {
  struct iovec l = {b, n}, r = {(void *)a, n};
  ssize_t k = process_vm_readv(pid, &l, 1, &r, 1, 0);
  return k < 0 ? 0 : (size_t)k;
}
static size_t ctx_rd(struct or_ctx *c, uint64_t a, void *b, size_t n) { (void)c; return rd(a, b, n); }

/* small code cache: page -> copy; dropped whenever mappings change */
#define NPG 4096
static struct { uint64_t pg; unsigned gen; uint8_t b[4096]; } *cc;
static int code(uint64_t pc, uint8_t *b, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t pg = (pc + i) >> 12, h = pg % NPG;
    if (cc[h].pg != pg || cc[h].gen != gen + 1) {
      if (rd(pg << 12, cc[h].b, 4096) != 4096) return i;
      cc[h].pg = pg; cc[h].gen = gen + 1;
    }
    b[i] = cc[h].b[(pc + i) & 4095];
  }
  return n;
}
enum { I_OTHER, I_CALL, I_RET, I_SYSCALL };
static int kind(const uint8_t *b, int n) {
  int i = 0;
  while (i < n && (b[i] == 0x66 || b[i] == 0x67 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e ||
                   b[i] == 0x36 || b[i] == 0x3e || b[i] == 0x26 || b[i] == 0x64 || b[i] == 0x65 || b[i] == 0xf0)) i++;
  if (i < n && (b[i] & 0xf0) == 0x40) i++;
  if (i + 1 >= n) return I_OTHER;
  if (b[i] == 0xe8) return I_CALL;
  if (b[i] == 0xff && ((b[i + 1] >> 3) & 7) == 2) return I_CALL;
  if (b[i] == 0xc3 || b[i] == 0xc2) return I_RET;
  if (b[i] == 0x0f && b[i + 1] == 0x05) return I_SYSCALL;
  return I_OTHER;
}
static void load_maps(void) {
  char p[64]; snprintf(p, sizeof p, "/proc/%d/maps", pid);
  int fd = open(p, O_RDONLY); size_t cap = 1 << 20, n = 0; ssize_t k;
  if (!maps) maps = malloc(cap);
  if (fd < 0) return;
  while ((k = read(fd, maps + n, cap - 1 - n)) > 0) n += k;
  close(fd); maps[n] = 0; gen++;
  if (out) { struct or_blk b = {OR_B_MAPS, n}; fwrite(&b, sizeof b, 1, out); fwrite(maps, n, 1, out); }
}
static int map_of(uint64_t a, uint64_t *lo, uint64_t *hi, char *name, size_t nn) {
  for (char *p = maps; *p;) {
    unsigned long l, h; int off = 0; char *e = strchr(p, '\n');
    if (sscanf(p, "%lx-%lx %*s %*s %*s %*s %n", &l, &h, &off) >= 2 && a >= l && a < h) {
      *lo = l; *hi = h;
      if (name) { size_t k = off && e ? (size_t)(e - p - off) : 0; if (k >= nn) k = nn - 1; memcpy(name, p + off, k); name[k] = 0; }
      return 1;
    }
    if (!e) break;
    p = e + 1;
  }
  return 0;
}

/* ---------- record writing: only 256-byte chunks that changed ---------- */
#define CH 256
static struct img { uint64_t hi; size_t n; uint8_t *b; } img[4];
static void put_chunk(uint64_t a, const uint8_t *b, size_t n) {
  struct or_blk h = {OR_B_CHUNK, 8 + n};
  fwrite(&h, sizeof h, 1, out); fwrite(&a, 8, 1, out); fwrite(b, n, 1, out);
}
static void snap(uint64_t sp) {
  static uint64_t lo, hi; static unsigned g;
  if (g != gen || sp < lo || sp >= hi) { if (!map_of(sp, &lo, &hi, 0, 0)) { load_maps(); if (!map_of(sp, &lo, &hi, 0, 0)) return; } g = gen; }
  struct img *m = 0;
  for (int i = 0; i < 4; i++) if (img[i].hi == hi || !img[i].hi) { m = &img[i]; break; }
  if (!m) return;
  m->hi = hi;
  uint64_t from = (sp - 128) & ~(uint64_t)(CH - 1);
  if (from < lo) from = lo;
  size_t need = hi - from;
  if (need > (4u << 20)) return;
  if (need > m->n) { uint8_t *nb = calloc(1, need); memcpy(nb + need - m->n, m->b, m->n); free(m->b); m->b = nb; m->n = need; }
  static uint8_t tmp[4 << 20];
  if (rd(from, tmp, need) != need) return;
  uint8_t *old = m->b + m->n - need;
  for (size_t o = 0; o < need; o += CH)
    if (memcmp(old + o, tmp + o, CH)) { memcpy(old + o, tmp + o, CH); put_chunk(from + o, tmp + o, CH); }
}

/* ---------- plug-ins and verdicts ---------- */
#define MAXPL 8
#define NMOD 64
enum { V_OK, V_SHORT, V_LONG, V_WRONG, V_REWR, V_N };
static const char *vn[] = {"ok", "short", "long", "wrong", "rewritten"};
static struct pl { const char *name; int m1; or_unwind_fn *f; uint64_t v[V_N], cfabad, cfan; struct or_ctx c; uint64_t mod[NMOD][V_N]; int shown; } pl[MAXPL];
static int npl, verbose;
static char *modname[NMOD]; static int nmod;
static int modid(uint64_t pc) {
  static uint64_t clo, chi; static unsigned cg; static int cid;
  if (cg == gen && pc >= clo && pc < chi) return cid;
  uint64_t lo = 0, hi = 0; char nm[512] = "?";
  map_of(pc, &lo, &hi, nm, sizeof nm);
  char *s = strrchr(nm, '/'); s = s ? s + 1 : nm;
  int i; for (i = 0; i < nmod; i++) if (!strcmp(modname[i], s)) break;
  if (i == nmod) { if (nmod == NMOD) i = NMOD - 1; else modname[nmod++] = strdup(s); }
  clo = lo; chi = hi; cg = gen; cid = i; return i;
}
static void judge(uint64_t idx, const uint64_t *R) {
  static uint64_t pc[OR_MAXF], cfa[OR_MAXF];
  int m = modid(R[16]);
  for (int p = 0; p < npl; p++) {
    memset(cfa, 0, sizeof cfa);
    pl[p].c.pid = pid; pl[p].c.maps_gen = gen; pl[p].c.maps = maps; pl[p].c.read = ctx_rd;
    int n = pl[p].f(&pl[p].c, R, pc, cfa, OR_MAXF), v = V_OK, bad = -1;
    while (n > 1 && pc[n - 1] == 0) n--;             /* a final null pc is no frame */
    int want = nsh + 1; if (want > OR_MAXF) want = OR_MAXF;
    for (int i = 1; i < n && i < want; i++) if (pc[i] != sh[nsh - i].ret && !(pl[p].m1 && pc[i] + 1 == sh[nsh - i].ret)) { v = V_WRONG; bad = i; break; }
    if (v == V_OK) { if (n < want) v = V_SHORT, bad = n; else if (n > want) v = V_LONG, bad = want; }
    if (v == V_OK) for (int i = 0; i < n && i < nsh; i++) if (cfa[i] && !sh[nsh - 1 - i].sig) { pl[p].cfan++; if (cfa[i] != sh[nsh - 1 - i].slot + 8) pl[p].cfabad++; }
    if (v == V_WRONG && !sh[nsh - bad].sig) { uint64_t mem; if (rd(sh[nsh - bad].slot, &mem, 8) == 8 && mem != sh[nsh - bad].ret) v = V_REWR; }
    pl[p].v[v]++; pl[p].mod[m][v]++;
    if (v && pl[p].shown < verbose) {
      uint64_t lo = 0, hi; char nm[300] = ""; unsigned off = 0; map_of(R[16], &lo, &hi, nm, sizeof nm);
      for (char *q = maps; *q; q = strchr(q, '\n') + 1) { unsigned long l; if (sscanf(q, "%lx-", &l) == 1 && l == lo) sscanf(q, "%*s %*s %x", &off); }
      fprintf(stderr, "BAD %s %s #%lu pc %lx (%s+0x%lx) frame %d: got %lx true %lx (%d of %d frames)\n", pl[p].name, vn[v], idx, R[16], nm, R[16] - lo + off,
              bad, bad < n ? pc[bad] : 0, bad <= nsh ? sh[nsh - bad].ret : 0, n, want);
      pl[p].shown++;
    }
  }
}

/* ---------- visits per pc ---------- */
static struct { uint64_t pc; uint32_t n; } *vis; static const uint32_t NV = 1u << 20;
static uint32_t visit(uint64_t pc) {
  uint32_t h = (pc * 0x9e3779b97f4a7c15ull) >> 44;
  for (;; h = (h + 1) & (NV - 1)) { if (!vis[h].n) vis[h].pc = pc; if (vis[h].pc == pc) return ++vis[h].n; }
}

static void push(uint64_t ret, uint64_t slot, int sig) {
  if (nsh < (int)(sizeof sh / sizeof *sh)) sh[nsh++] = (struct ent){ret, slot, sig, sid};
}
static void regs_out(const struct user_regs_struct *u, uint64_t *R) {
  uint64_t r[] = {u->rax, u->rdx, u->rcx, u->rbx, u->rsi, u->rdi, u->rbp, u->rsp, u->r8, u->r9, u->r10, u->r11, u->r12, u->r13, u->r14, u->r15, u->rip};
  memcpy(R, r, sizeof r);
}
static uint64_t auxv_entry(void) {
  char p[64]; snprintf(p, sizeof p, "/proc/%d/auxv", pid);
  int fd = open(p, O_RDONLY); Elf64_auxv_t a; uint64_t e = 0;
  while (read(fd, &a, sizeof a) == sizeof a && a.a_type) if (a.a_type == AT_ENTRY) e = a.a_un.a_val;
  close(fd); return e;
}
/* run to the program's entry point, where ld.so has returned from every call: no frame exists */
static int run_to(uint64_t entry) {
  struct user_regs_struct u; int st, sig = 0;
  ptrace(PTRACE_GETREGS, pid, 0, &u);
  if (u.rip == entry) return 0;
  errno = 0;
  long w = ptrace(PTRACE_PEEKTEXT, pid, entry, 0);
  if (errno || ptrace(PTRACE_POKETEXT, pid, entry, (w & ~0xffl) | 0xcc)) return -1;
  do {
    if (ptrace(PTRACE_CONT, pid, 0, sig) || waitpid(pid, &st, 0) < 0 || !WIFSTOPPED(st)) return -1;
    sig = WSTOPSIG(st);
    ptrace(PTRACE_GETREGS, pid, 0, &u);
  } while (sig != SIGTRAP || u.rip != entry + 1);
  u.rip = entry;
  if (ptrace(PTRACE_POKETEXT, pid, entry, w) || ptrace(PTRACE_SETREGS, pid, 0, &u)) return -1;
  load_maps();
  return 0;
}

/* run to the program's first new thread: it is stepped from now on, the others run */
static int to_thread(void) {
  int st, sig = 0, tid; unsigned long msg;
  ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
  do {
    if (ptrace(PTRACE_CONT, pid, 0, sig) || waitpid(pid, &st, 0) < 0 || !WIFSTOPPED(st)) return -1;
    sig = WSTOPSIG(st) == SIGTRAP ? 0 : WSTOPSIG(st);
  } while (st >> 8 != (SIGTRAP | PTRACE_EVENT_CLONE << 8));
  if (ptrace(PTRACE_GETEVENTMSG, pid, 0, &msg) || waitpid(tid = (int)msg, &st, __WALL) != tid) return -1;
  ptrace(PTRACE_SETOPTIONS, tid, 0, PTRACE_O_EXITKILL);
  ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL);
  ptrace(PTRACE_CONT, pid, 0, 0);
  pid = tid;
  load_maps();
  return 0;
}

int main(int argc, char **argv) {
  uint64_t every = 1, uniq = 0, limit = 0; int o, fromentry = 0, noenv = 0, thread = 0;
  while ((o = getopt(argc, argv, "+p:o:k:u:n:ftev:")) != -1) switch (o) {
    case 'p': {
      void *h = dlopen(optarg, RTLD_NOW | RTLD_LOCAL);
      if (!h || npl == MAXPL) { fprintf(stderr, "%s\n", dlerror()); return 2; }
      char *s = strrchr(optarg, '/');
      pl[npl].name = s ? s + 1 : optarg; pl[npl].f = (or_unwind_fn *)dlsym(h, "or_unwind");
      if (!pl[npl].f) { fprintf(stderr, "%s: no or_unwind\n", optarg); return 2; }
      int *m1 = dlsym(h, "or_pc_minus_one"); pl[npl].m1 = m1 && *m1;
      npl++; break; }
    case 'o': out = fopen(optarg, "wb"); if (!out) { perror(optarg); return 2; } setvbuf(out, 0, _IOFBF, 1 << 20); break;
    case 'k': every = strtoull(optarg, 0, 0); break;
    case 'u': uniq = strtoull(optarg, 0, 0); break;
    case 'n': limit = strtoull(optarg, 0, 0); break;
    case 'f': fromentry = 1; break;
    case 't': thread = 1; break;
    case 'e': noenv = 1; break;
    case 'v': verbose = atoi(optarg); break;
    default: return 2; }
  if (optind >= argc) { fprintf(stderr, "usage: oracle [-p plugin.so] [-o rec] [-k N] [-u M] [-n N] [-f] [-t] [-e] [-v N] -- prog args\n"); return 2; }
  cc = calloc(NPG, sizeof *cc); vis = calloc(NV, sizeof *vis);
  pid = fork();
  if (!pid) { personality(ADDR_NO_RANDOMIZE); ptrace(PTRACE_TRACEME, 0, 0, 0); if (noenv) clearenv(); execvp(argv[optind], argv + optind); _exit(127); }
  int st; waitpid(pid, &st, 0);
  if (!WIFSTOPPED(st)) { fprintf(stderr, "cannot start %s\n", argv[optind]); return 2; }
  ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL);
  load_maps();
  uint64_t entry = auxv_entry(), n = 0, looked = 0, maxd = 0; int sig = 0, on = !fromentry;
  if (fromentry && run_to(entry)) { fprintf(stderr, "%s does not reach its entry point\n", argv[optind]); return 2; }
  if (thread && to_thread()) { fprintf(stderr, "%s makes no thread\n", argv[optind]); return 2; }
  on |= thread;
  struct user_regs_struct u; ptrace(PTRACE_GETREGS, pid, 0, &u);
  for (;; n++) {
    uint64_t R[OR_NREG]; uint8_t b[16];
    if (u.rip == entry) on = 1;
    regs_out(&u, R);
    uint32_t vc = visit(u.rip);
    if (on && n % every == 0 && (!uniq || vc <= uniq)) {
      looked++;
      if (npl) judge(n, R);
      if (out) {
        snap(u.rsp);
        struct or_step s = {.index = n, .n = nsh, .flags = vc == 1}; memcpy(s.regs, R, sizeof R);
        struct or_blk h = {OR_B_STEP, sizeof s + nsh * sizeof(struct or_true)};
        fwrite(&h, sizeof h, 1, out); fwrite(&s, sizeof s, 1, out);
        for (int i = nsh - 1; i >= 0; i--) { struct or_true t = {sh[i].ret, sh[i].slot}; fwrite(&t, sizeof t, 1, out); }
      }
    }
    if (limit && n >= limit) { kill(pid, SIGKILL); break; }
    int k = kind(b, code(u.rip, b, 8));
    uint64_t osp = u.rsp, opc = u.rip, sysno = u.rax;
  again:
    if (ptrace(PTRACE_SINGLESTEP, pid, 0, sig) < 0) break;
    if (waitpid(pid, &st, __WALL) < 0 || WIFEXITED(st) || WIFSIGNALED(st)) break;
    ptrace(PTRACE_GETREGS, pid, 0, &u);
    int ss = WSTOPSIG(st);
    if (sig) {               /* the signal was just delivered: at the handler's first instruction, or ignored */
      uint64_t ret; int handled = 0;
      if (u.rip != opc || u.rsp != osp) {
        uint64_t ipc, isp;   /* rt_sigframe: pretcode, then ucontext */
        if (rd(u.rsp, &ret, 8) == 8 && rd(u.rsp + 8 + 0xa8, &ipc, 8) == 8 && rd(u.rsp + 8 + 0xa0, &isp, 8) == 8 && ipc == opc && isp == osp) {
          if (u.rsp > osp || osp - u.rsp > 65536) sid++;
          push(ipc, u.rsp + 8 + 0xa8, 1); push(ret, u.rsp, 0); handled = 1;
        }
      }
      sig = 0;
      if (ss != SIGTRAP) { sig = ss; opc = u.rip; osp = u.rsp; goto again; }
      if (handled) continue;
      /* ignored signal: the instruction at opc was executed; fall through */
    } else if (ss != SIGTRAP) { sig = ss; opc = u.rip; osp = u.rsp; k = kind(b, code(u.rip, b, 8)); sysno = u.rax; goto again; }
    if (k == I_SYSCALL) {
      if (sysno == 15) {     /* rt_sigreturn */
        while (nsh && !sh[nsh - 1].sig) nsh--;
        if (nsh) { nsh--; sid = nsh ? sh[nsh - 1].sid : 0; }
      }
      if (sysno == 9 || sysno == 10 || sysno == 11 || sysno == 25) load_maps();
    } else if (k == I_CALL && u.rsp == osp - 8) {
      uint64_t ret = 0; rd(u.rsp, &ret, 8);
      if (ret - opc >= 2 && ret - opc <= 15) push(ret, u.rsp, 0); else mismatches++;
      if ((uint64_t)nsh > maxd) maxd = nsh;
      continue;
    } else if (k == I_RET && (!nsh || sh[nsh - 1].slot != osp || sh[nsh - 1].ret != u.rip)) mismatches++;
    while (nsh && sh[nsh - 1].slot < u.rsp && sh[nsh - 1].sid == sid && !(sh[nsh - 1].sig && sh[nsh - 1].slot + 64 > u.rsp)) nsh--;
  }
  if (out) fclose(out);
  uint64_t d = 0; for (uint32_t i = 0; i < NV; i++) d += vis[i].n != 0;
  printf("instructions %lu distinct-pcs %lu looked-at %lu max-depth %lu ret-mismatches %lu exit %d\n", n, d, looked, maxd, mismatches, WIFEXITED(st) ? WEXITSTATUS(st) : -1);
  for (int p = 0; p < npl; p++) {
    uint64_t t = 0; for (int i = 0; i < V_N; i++) t += pl[p].v[i];
    printf("%-24s looked %lu ok %lu short %lu long %lu wrong %lu rewritten %lu error-rate %.4f%% cfa-bad %lu/%lu\n", pl[p].name, t, pl[p].v[0], pl[p].v[1], pl[p].v[2], pl[p].v[3], pl[p].v[4], t ? 100.0 * (t - pl[p].v[0] - pl[p].v[4]) / t : 0, pl[p].cfabad, pl[p].cfan);
    for (int m = 0; m < nmod; m++) { uint64_t *x = pl[p].mod[m]; if (x[1] + x[2] + x[3]) printf("    in %-28s ok %lu short %lu long %lu wrong %lu\n", modname[m], x[0], x[1], x[2], x[3]); }
  }
  return 0;
}
