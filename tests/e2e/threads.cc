// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// usage: threads spin      four threads come to rest in hard places
//        threads work MS   the same four kinds of work, again and again
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#define NOINLINE __attribute__((noinline, noclone))

static std::atomic<int> arrived;
static bool spinning;

NOINLINE void spot() {
  if (!spinning) return;
  arrived++;
  for (;;) __asm__ volatile("pause");
}

// In a comparator behind std::function, in std::sort and std::stable_sort.
NOINLINE void sorting() {
  std::vector<int> v;
  for (int i = 0; i < 500; i++) v.push_back(i * 7919 % 503);
  int calls = 0;
  std::function<bool(int, int)> less = [&](int a, int b) {
    if (++calls == 700) spot();
    return a < b;
  };
  std::stable_sort(v.begin(), v.end(), [&](int a, int b) { return less(b, a); });
  std::sort(v.begin(), v.end(), less);
}

// In a destructor that the C++ runtime runs while an exception unwinds.
struct Guard {
  std::string text = "a string that is too long for the small one";
  ~Guard() {
    if (std::uncaught_exceptions()) spot();
    text.clear();
  }
};
NOINLINE int thrower(int n) {
  Guard g;
  if (!n) throw std::runtime_error(g.text);
  return thrower(n - 1) + (int)g.text.size();
}
NOINLINE void throwing() {
  try {
    thrower(12);
  } catch (const std::exception &e) {
    if (!strlen(e.what())) abort();
  }
}

// In a qsort callback, called through a virtual function, inside std::call_once.
struct Base {
  virtual ~Base() {}
  virtual void go() = 0;
};
static thread_local int compared;
static int compare(const void *a, const void *b) {
  if (++compared == 100) spot();
  return *(const int *)a - *(const int *)b;
}
struct Sorter : Base {
  int v[64];
  NOINLINE void go() override {
    for (int i = 0; i < 64; i++) v[i] = i * 37 % 64;
    compared = 0;
    qsort(v, 64, sizeof *v, compare);
  }
};
NOINLINE void virtually() {
  Sorter s;
  Base *b = &s;
  std::once_flag once;
  std::call_once(once, [&] { b->go(); });
}

// In the terminate handler, below __cxa_throw (spin); maps of strings (work).
NOINLINE void terminating() {
  if (spinning) {
    std::set_terminate([] { spot(); abort(); });
    throw 1;
  }
  std::map<std::string, std::vector<int>> m;
  for (int i = 0; i < 200; i++) m["key " + std::to_string(i % 17)].push_back(i);
  for (auto &e : m) std::sort(e.second.begin(), e.second.end(), std::greater<int>());
}

static void loop(void (*f)(), long ms) {
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  do f();
  while (std::chrono::steady_clock::now() < end);
}

int main(int argc, char **argv) {
  spinning = argc == 2 && !strcmp(argv[1], "spin");
  long ms = argc == 3 && !strcmp(argv[1], "work") ? atol(argv[2]) : 0;
  if (!spinning && !ms) return 2;
  alarm(60);
  std::vector<std::thread> threads;
  for (auto f : {sorting, throwing, virtually, terminating}) threads.emplace_back(loop, f, ms);
  while (spinning && arrived < 4) usleep(1000);
  if (spinning && write(1, "READY\n", 6) != 6) return 1;
  for (auto &t : threads) t.join();
}
