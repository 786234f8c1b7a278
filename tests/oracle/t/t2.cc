// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// oracle subject: C++ exceptions, std::sort with a lambda, virtual calls, std::map, iostream
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct B { virtual int f(int) = 0; virtual ~B() {} };
struct D : B { int k; D(int k) : k(k) {} int f(int x) override { if (x > 40) throw std::runtime_error("x"); return x * k; } };
struct G { std::string s; G(const char *p) : s(p) {} ~G() { s.clear(); } };
__attribute__((noinline)) int thrower(B *b, int n) { G g("a rather long string that is allocated"); return n ? thrower(b, n - 1) + 1 : b->f(50); }
int main() {
  std::vector<int> v; for (int i = 0; i < 40; i++) v.push_back(i * 7919 % 41);
  int calls = 0; std::sort(v.begin(), v.end(), [&](int a, int b) { calls++; return a < b; });
  std::map<std::string, int> m; for (int i : v) m["k" + std::to_string(i % 5)] += i;
  std::function<int(int)> f = [&](int x) { return x + calls; };
  D d(3); int r = 0;
  for (int i = 0; i < 2; i++) try { r += thrower(&d, 4); } catch (const std::exception &e) { r += f(e.what()[0]); }
  std::cout << r << ' ' << m.size() << ' ' << v[3] << '\n';
}
