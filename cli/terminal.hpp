#pragma once

#include <chrono>
#include <string>

#include <harmonium/framework/run/request.hpp>

namespace harmonium {
inline namespace v1 {

/// One line on standard error. Where that cannot be written, nobody can be told, and nothing happens.
void say(const std::string& line);

/// Progress and remarks on standard error: a bar where that is a terminal, nothing but warnings where it is not, and
/// nothing at all when quiet. Standard output is left to results.
class Terminal final : public Display {
 public:
  explicit Terminal(bool quiet);
  ~Terminal() override { finish(); }

  void note(const std::string& line) override;
  void warn(const std::string& line) override;
  void progress(double fraction, const std::string& what) override;
  void finish() override;

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, watched_;
  bool bar_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

}  // namespace v1
}  // namespace harmonium
