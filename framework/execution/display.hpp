#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

/// Where progress and remarks of long work go: the program's terminal, or nowhere. Results never go here.
class Display {
 public:
  virtual ~Display() = default;
  /// One line, once, for somebody who watches.
  virtual void note(const std::string& line) = 0;
  /// One line that nobody should miss.
  virtual void warn(const std::string& line) = 0;
  /// How much of the work is done, from 0 to 1, and what matters now. Called often.
  virtual void progress(double fraction, const std::string& what) = 0;
  /// The work is over, or an error is about to be printed.
  virtual void finish() = 0;
};

}  // namespace v1
}  // namespace harmonium
