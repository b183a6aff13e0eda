#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <harmonium/framework/core/memory.hpp>

namespace harmonium {
inline namespace v1 {

/// What a piece of work is estimated to hold in memory at its peak, by what holds it. Sizes are doubles, so that no
/// product of what a user may ask for wraps.
class MemoryNeed {
 public:
  struct Item {
    std::string what;  ///< "the chains"
    double bytes = 0.0;
    std::string lower;  ///< what to lower: "estimator.num_chains"; empty where that is the model, which is given
  };

  void add(std::string what, double bytes, std::string lower);
  /// What is part of a checkpoint too.
  void add_state(std::string what, double bytes, std::string lower);
  double state_bytes() const { return state_bytes_; }
  /// Temporaries, not all alive at the same time: the largest of them counts.
  void add_passing(std::string what, double bytes, std::string lower);
  double bytes() const;
  /// Without those of no size, the largest first.
  std::vector<Item> items() const;
  /// "the chains 3.2 GB, the data 1.1 GB, …", the largest `most` of them.
  std::string summary(std::size_t most) const;
  /// Throws ConfigError, naming the largest items and what to lower, where `who` would need more than there is.
  void check(std::string_view who, double available = machine_memory()) const;

 private:
  std::vector<Item> items_;
  Item passing_;
  double state_bytes_ = 0.0;
};

/// "3.2 GB", "45 MB", "1 kB": powers of 1000.
std::string bytes_in_words(double bytes);

}  // namespace v1
}  // namespace harmonium
