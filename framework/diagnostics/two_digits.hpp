#pragma once

namespace harmonium {
inline namespace v1 {

/// `value`, which is above 0, rounded up to two digits: 1725 is 1800. What is advised is so many, and no less.
double up_to_two_digits(double value);

}  // namespace v1
}  // namespace harmonium
