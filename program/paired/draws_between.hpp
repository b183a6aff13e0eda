#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// Draws of two models under both: how many of `draws` count on the worse side, and whether these are enough for the ratio.
struct DrawsBetween {
  double counting = 0.0, needed = 0.0;
  std::uint64_t draws = 0;
  bool enough() const { return counting >= needed; }
};

/// How differences were found of which each is by draws of both models, in a sentence, and what to do where too few count: where all of
/// `found` have enough of them, or none has. Of several it gives the least number that counts, or the most.
std::string words_on_draws(const std::vector<DrawsBetween>& found);

}  // namespace v1
}  // namespace harmonium
