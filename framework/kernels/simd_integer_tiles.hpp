#pragma once

#include <harmonium/framework/kernels/integer_tiles.hpp>

/// The tables that simd_integer_tiles.cpp defines, one for each kind of instructions it is compiled for. Using one on a machine
/// without them is fatal: only integer_tiles.cpp, which asks the machine, names them.
namespace harmonium {
inline namespace v1 {

namespace simd::plain {
extern const IntegerTiles tiles;
}
namespace simd::v3_vnni {
extern const IntegerTiles tiles;
}
namespace simd::v4_vnni {
extern const IntegerTiles tiles;
}
namespace simd::v4_amx {
extern const IntegerTiles tiles;
}

}  // namespace v1
}  // namespace harmonium
