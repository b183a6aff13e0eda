// OpenBLAS starts a thread for each processor, with a buffer of 128 MiB each, as soon as it is loaded: before any code of
// ours, and although none of them is ever used (parallelism is above its calls). Under a limit on processes it ends the
// program there, under one on memory it waits for ever. It heeds one thing that early, the environment: so the program
// starts itself once more with that set.
#include <cstddef>
#include <cstring>

#include <sys/auxv.h>
#include <unistd.h>

namespace {

constexpr char variable[] = "OPENBLAS_NUM_THREADS=";
char setting[] = "OPENBLAS_NUM_THREADS=1";

#if defined(__clang__)
#define HARMONIUM_NOT_INSTRUMENTED __attribute__((no_sanitize("address", "thread", "undefined")))
#else
#define HARMONIUM_NOT_INSTRUMENTED __attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined))
#endif

/// Called before libraries are set up: system calls, and nothing that allocates.
HARMONIUM_NOT_INSTRUMENTED void start_with_one_blas_thread(int, char** arguments, char** environment) {
  std::size_t count = 0;
  for (; environment[count] != nullptr; ++count)
    if (std::strncmp(environment[count], variable, sizeof variable - 1) == 0) return;
  const auto* const file =
      reinterpret_cast<const char*>(::getauxval(AT_EXECFN));  // NOLINT: an address is what it gives
  // Without a base of its own the loader itself was started, and the program is but its argument.
  if (file == nullptr || ::getauxval(AT_BASE) == 0 || ::getauxval(AT_SECURE) != 0) return;
  auto** const changed = static_cast<char**>(__builtin_alloca((count + 2) * sizeof(char*)));
  for (std::size_t i = 0; i < count; ++i) changed[i] = environment[i];
  changed[count] = setting;
  changed[count + 1] = nullptr;
  ::execve(file, arguments, changed);  // where it cannot be, the program goes on as it was started
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**,
                                                                                char**) = &start_with_one_blas_thread;

}  // namespace
