#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""many.py COUNT: C code of that many functions, which a compiler gives frames of
many shapes: to standard output, the same each time."""
import sys

# {n} its number, {c} a function called, {k} a size
SHAPES = [
    "long f{n}(long a) {{ return a * {k} + 1; }}",
    "long f{n}(long a) {{ return f{c}(a + {k}) + a; }}",
    "long f{n}(long a) {{ if (a < {k}) return a; return f{c}(a) + f{c}(a + 1) * a; }}",
    "long f{n}(long a) {{ char buf[{k}]; use(buf); return f{c}(a) + buf[a & 7]; }}",
    "long f{n}(long a) {{ char *p = __builtin_alloca(a & {k}); use(p); return f{c}(a) + *p; }}",
    "long f{n}(long a) {{ char buf[{k} * 97]; use(buf); use(buf + a); return f{c}(buf[a & 15]); }}",
    "long f{n}(long a) {{ _Alignas(64) char buf[{k}]; use(buf); return f{c}(a) + buf[1]; }}",
    "long f{n}(long a) {{ long b = f{c}(a), c = f{c}(b), d = f{c}(c), e = f{c}(d), g = f{c}(e);\n"
    "\treturn a + b * c + d * e + g * f{c}(a ^ g); }}",
    "long f{n}(long a) {{ if (__builtin_expect(a == {k}, 0)) {{ use(&a); fail(f{c}(a)); }} return a + 1; }}",
    "long f{n}(long a) {{ switch (a & 7) {{ case 0: return f{c}(1); case 1: use(&a); return a; case 2: return {k};\n"
    "\tcase 3: return many(a, 1, 2, 3, 4, 5, 6, {k}, 8); case 5: return -f{c}(a); default: return f{c}(a + 1) + 1; }} }}",
    "long f{n}(long a, ...) {{ __builtin_va_list l; long s = 0; __builtin_va_start(l, a);\n"
    "\twhile (a--) s += f{c}(__builtin_va_arg(l, long)); __builtin_va_end(l); return s; }}",
    "long f{n}(long a) {{ for (long i = 0; i < a; i++) {{ char v[a + i + {k}]; use(v); if (v[0]) return f{c}(i); }} return 0; }}",
    "long f{n}(long a, ...) {{ _Alignas(64) char v[{k}]; __builtin_va_list l; __builtin_va_start(l, a); use(v); use(&l);\n"
    "\treturn f{c}(v[1]); }}",
]

count = int(sys.argv[1])
print("void use(void *);\nvoid fail(long) __attribute__((noreturn, cold));\n"
      "long many(long, long, long, long, long, long, long, long, long);")
for n in range(count):
    print("long f%d(long%s);" % (n, ", ..." if "..." in SHAPES[n % len(SHAPES)] else ""))
for n in range(count):
    print(SHAPES[n % len(SHAPES)].format(n=n, c=(n * 7 + 3) % count, k=8 + n * n % 251))
