#pragma once

#include <variant>
#include <vector>

#include <harmonium/framework/files/table.hpp>

namespace harmonium::testing {

/// The numbers of a table that holds them as T.
template <class T>
std::vector<T> held(const Table& table) {
  const auto& values = std::get<NumberArray<T>>(table.values);
  return {values.begin(), values.end()};
}

}  // namespace harmonium::testing
