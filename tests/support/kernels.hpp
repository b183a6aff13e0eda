#pragma once

#include <concepts>
#include <cstring>
#include <vector>

#include <harmonium/framework/kernels/kernels.hpp>

namespace harmonium::testing {

template <class T>
const KernelsOf<T>& half_of(const Kernels& kernels) {
  if constexpr (std::same_as<T, float>) {
    return kernels.f32;
  } else {
    return kernels.f64;
  }
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace harmonium::testing
