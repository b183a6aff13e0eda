#pragma once

/// What must hold on entry: shapes, strides, ranges. Checked where HARMONIUM_ASSERTIONS is defined, as the presets `dev` and
/// those of the sanitizers do; elsewhere the condition is not evaluated. What a user can get wrong is an Error instead.
#if defined(HARMONIUM_ASSERTIONS)

namespace harmonium {
inline namespace v1 {
/// Says which condition of which line does not hold, and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);
}  // namespace v1
}  // namespace harmonium

#define HARMONIUM_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::harmonium::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define HARMONIUM_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
