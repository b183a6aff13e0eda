#pragma once

#include <harmonium/framework/model/unit_type.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// θ, its bias added, and γ of row r, column c, and β of the row, in double; γ is 0 where the units have none.
struct NaturalParameters {
  double linear, curvature, scale;

  template <class T>
  NaturalParameters(const BasicFields<T>& f, Index r, Index c)
      : linear(static_cast<double>(f.linear(r, c)) + (f.bias ? static_cast<double>(f.bias[c]) : 0.0)),
        curvature(f.curvature.empty() ? 0.0 : static_cast<double>(f.curvature(r, c))),
        scale(f.scale ? static_cast<double>(f.scale[r]) : 1.0) {}
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
