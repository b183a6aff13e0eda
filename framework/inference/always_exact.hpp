#pragma once

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// Of a way to log Z whose estimates are exact, each of them, for whatever model it serves: that is known before it is asked.
class AlwaysExact {
 public:
  virtual ~AlwaysExact();
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
