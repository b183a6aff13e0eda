#pragma once

#include <string>

#include <harmonium/program/work/gradient_left.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the gradient left shows of parameters that are not at their optimum, and what to do about it, in sentences that begin small.
std::string words_of_gradient(const GradientLeft& left);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
