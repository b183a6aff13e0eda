#pragma once

#include <initializer_list>

#include "files.hpp"

namespace harmonium::testing {

/// A run that measures its validation rows, too.
inline Words validated(std::initializer_list<const char*> more) {
  Words words{"train", "small.toml", "--set", "data.validation=0.25", "--set", "training.batch_size=5"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace harmonium::testing
