#pragma once

#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/files/table.hpp>

namespace harmonium {
inline namespace v1 {

/// Small binary sets, each row once, as tables of bytes 0 and 1. A machine that has learnt one by heart has the
/// log-likelihood -log(rows) a row. Sizes out of range throw ConfigError without a place.

/// Images of side × side (row-major) whose rows, or whose columns, are each wholly on or off: 2^(side+1) - 2 rows,
/// since the two uniform images, common to both kinds, count once. side 1 to 12. MacKay, Information Theory, Inference,
/// and Learning Algorithms (2003), chapter 43.
Table bars_and_stripes(Index side);

/// Diag_d of Bengio and Delalleau, Justifying and generalizing contrastive divergence, Neural Computation 21 (2009):
/// 1^k 0^(d-k) for k = 0 … d; d + 1 rows. d 1 to 4096.
Table diagonal(Index size);

/// 1DBall_d of Bengio and Delalleau (2009): w neighboring pixels on, of d on a ring, for each start b = 0 … d-1 and
/// each width w = 1 … floor((d-1)/2), the widest for which no row repeats; then their negations. 2 d floor((d-1)/2)
/// rows. d 3 to 256.
Table one_d_ball(Index size);

/// A pattern of `bits` bits, the pattern shifted round by -1, 0 or +1, and which of the three as one-hot label: 3 *
/// 2^bits rows of 2 bits + 3, all different because labeled. After the shifter of Hinton and Sejnowski, Learning and
/// relearning in Boltzmann machines (1986). bits 2 to 16.
Table labeled_shifter(Index bits);

}  // namespace v1
}  // namespace harmonium
