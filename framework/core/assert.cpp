#include <cstdio>
#include <cstdlib>

namespace harmonium {
inline namespace v1 {

// Always compiled, so that a plugin with assertions finds it in a library without.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace v1
}  // namespace harmonium
