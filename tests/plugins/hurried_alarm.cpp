// Preloaded into the program by a test of what an alarm ends: a second that is asked for takes a tenth of one.
#include <sys/time.h>

extern "C" __attribute__((visibility("default"))) unsigned alarm(unsigned seconds) noexcept {
  const long microseconds = 100'000L * seconds;
  const itimerval wanted{{0, 0}, {microseconds / 1'000'000, microseconds % 1'000'000}};
  itimerval before{};
  ::setitimer(ITIMER_REAL, &wanted, &before);
  return static_cast<unsigned>(10 * before.it_value.tv_sec);
}
