#pragma once

#include <harmonium/framework/kernels/kernels.hpp>

/// The tables that simd_kernels.cpp defines, one for each instruction set it is compiled for. Using a table on a
/// machine without the instruction set is fatal: only kernels.cpp, which asks the machine, names them.
namespace harmonium {
inline namespace v1 {

namespace simd::baseline {
extern const Kernels table;
}
namespace simd::v3 {
extern const Kernels table;
}
namespace simd::v4 {
extern const Kernels table;
}

}  // namespace v1
}  // namespace harmonium
