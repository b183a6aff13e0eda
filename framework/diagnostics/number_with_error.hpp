#pragma once

#include <string>

namespace harmonium {
inline namespace v1 {

/// A number with one standard error, in the same unit.
struct NumberWithError {
  double value = 0.0, error = 0.0;

  /// To two digits of the error: "-1.4142(12)" is -1.4142 ± 0.0012, "31.4(1.2)" is 31.4 ± 1.2, and "1200(340)" is 1200 ± 340.
  /// An error below 1e-12 of the number is "(0)", one that is not finite "(?)"; a value that is not finite is "-".
  std::string text() const;
};

}  // namespace v1
}  // namespace harmonium
