// SPDX-License-Identifier: Apache-2.0
// One fault of each kind that a sanitizer is there to find: `faults NAME`, or a call from Python, must not end well.
#include <climits>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

// Keeps the compiler from seeing that there is a fault.
template <typename T>
T hide(T value) {
  T volatile hidden = value;
  return hidden;
}

int counter = 0;

}  // namespace

extern "C" {

// Several times: the last address may still be somewhere on the stack.
[[gnu::visibility("default")]] int leak() {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += hide(new int[1000]())[i];
  return sum;
}

[[gnu::visibility("default")]] int overflow() {
  const int* array = hide(new int[1000]());
  const int value = array[hide(1000)];
  delete[] array;
  return value;
}

[[gnu::visibility("default")]] int undefined() { return hide(INT_MAX) + hide(1); }

[[gnu::visibility("default")]] int race() {
  std::thread other([] { ++counter; });
  ++counter;
  other.join();
  return counter;
}
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  int value = 0;
  if (std::strcmp(name, "leak") == 0) value = leak();
  if (std::strcmp(name, "overflow") == 0) value = overflow();
  if (std::strcmp(name, "undefined") == 0) value = undefined();
  if (std::strcmp(name, "race") == 0) value = race();
  std::printf("nothing was found: %d\n", value);
  return 0;
}
