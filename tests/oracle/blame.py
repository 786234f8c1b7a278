#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""blame.py [plug-in] < oracle's stderr: groups BAD lines by module, section and nearest symbol"""
import sys, re, subprocess, bisect, collections
want = sys.argv[1] if len(sys.argv) > 1 else None
syms = {}
def load(f):
    if f in syms: return syms[f]
    s, secs, fv = [], [], []
    for flag in (['-D'], []):
        o = subprocess.run(['nm', *flag, '--defined-only', f], capture_output=True, text=True).stdout
        for l in o.splitlines():
            p = l.split()
            if len(p) == 3 and p[1] in 'tTwWiuV': s.append((int(p[0], 16), p[2].split('@')[0]))
    o = subprocess.run(['readelf', '-SW', '-lW', f], capture_output=True, text=True).stdout
    for m in re.finditer(r'\]\s+(\.\S+)\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)', o): secs.append((int(m[3], 16), int(m[4], 16), int(m[2], 16), m[1]))
    s.sort(); syms[f] = (s, secs); return syms[f]
c = collections.Counter(); pcs = collections.defaultdict(set)
for l in sys.stdin:
    m = re.match(r'BAD (\S+) (\S+) #(\d+) pc (\S+) \((\S*)\+0x([0-9a-f]+)\) frame (\d+)', l)
    if not m or (want and m[1] != want): continue
    f, off = m[5], int(m[6], 16)
    name, sec = '?', '?'
    if f.startswith('/'):
        s, secs = load(f)
        va = off
        for o, z, a, n in secs:
            if o <= off < o + z and a: sec, va = n, off - o + a
        i = bisect.bisect(s, (va, '\x7f')) - 1
        if i >= 0: name = s[i][1] + ('' if va - s[i][0] < 2048 else '+far')
    k = (m[1], m[2], f.split('/')[-1] or '?', sec, name if sec != '.plt' else '-', 'frame0' if m[7] == '1' else 'deeper')
    c[k] += 1; pcs[k].add(off)
for k, n in c.most_common(60): print(f"{n:6d} lookups {len(pcs[k]):5d} pcs  {' '.join(k)}")
