#include <harmonium/framework/kernels/coupled_sweep.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include <harmonium/framework/kernels/integer_tiles.hpp>
#include <harmonium/framework/kernels/state_rows.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr Index block_units = 64;       // that are drawn by products among themselves
constexpr Index blocks_together = 3;    // whose ones are added up together, so that their rows stay in the first cache
constexpr double ones_of_copied = 3.0;  // a unit, of all chains, that are worth a copy of its couplings

Index blocks_of(Index units) { return (units + block_units - 1) / block_units; }

/// Memory of a thread, kept from call to call.
template <class T>
struct SweepMemory {
  std::vector<std::uint16_t> list;
  std::vector<Index> ends;
  std::vector<T> fields, copied, of_sweep;

  static SweepMemory& of_thread() {
    thread_local SweepMemory scratch;
    return scratch;
  }
};

template <class V>
auto* sized(V& of, Index elements) {
  of.resize(std::max<Index>(of.size(), elements));
  return of.data();
}

/// The ones of each chain, block after block. A block that has been drawn anew goes to the end, so that those of all blocks but the
/// one that is drawn next lie side by side: the blocks after it, and then those before it.
template <class T>
class OnesInTurn {
 public:
  OnesInTurn(const SparseSums<T>& sums, SweepMemory<T>& scratch, MatrixView<const T> state)
      : sums_(sums), rows_(state.rows), blocks_(blocks_of(state.cols)) {
    const Index room = 2 * state.cols + listed_beyond;
    list_ = sized(scratch.list, rows_ * room);
    ends_ = sized(scratch.ends, 2 * blocks_ * rows_);
    for (Index r = 0; r < rows_; ++r) ends_[r] = r * room;
    for (Index b = 0; b < blocks_; ++b) append(b, state);
  }

  /// Of the blocks from turn `first` to turn `last`: a block has the turns b, b + blocks, ...
  BitLists between(Index first, Index last) const { return {list_, ends_ + first * rows_, ends_ + last * rows_}; }

  /// What block b is now.
  void append(Index b, MatrixView<const T> state) {
    const Index begin = b * block_units, end = std::min(begin + block_units, state.cols);
    const Index* from = ends_ + turn_ * rows_;
    Index* to = ends_ + ++turn_ * rows_;
    for (Index r = 0; r < rows_; ++r) {
      std::uint16_t* const found = list_ + from[r];
      const Index count = sums_.list_ones(state.row(r) + begin, end - begin, found);
      for (Index i = 0; i < count; ++i) found[i] = static_cast<std::uint16_t>(found[i] + begin);
      to[r] = from[r] + count;
    }
  }

 private:
  static constexpr Index listed_beyond = 16;  // SparseSums::list_ones

  const SparseSums<T>& sums_;
  Index rows_, blocks_, turn_ = 0;
  std::uint16_t* list_;
  Index* ends_;  ///< turn by turn: where a chain's entries end, and those of the next turn begin
};

/// Columns of the couplings, copied side by side or where they are.
template <class T>
MatrixView<const T> couplings(MatrixView<const T> of, bool copied, SweepMemory<T>& scratch) {
  if (!copied) return of;
  T* const to = aligned_part(scratch.copied, of.rows * of.cols);
  for (Index k = 0; k < of.rows; ++k) std::copy(of.row(k), of.row(k) + block_units, to + k * block_units);
  return {to, of.rows, of.cols, of.cols};
}

/// fields += the sums of the rows of `coupling` that are listed from turn `first` to turn `last`.
template <class T>
void add_sums(const SparseSums<T>& sums, const OnesInTurn<T>& ones, Index first, Index last,
              MatrixView<const T> coupling, MatrixView<T> fields) {
  for (Index begin = first; begin < last; begin += blocks_together) {
    const BitLists lists = ones.between(begin, std::min(begin + blocks_together, last));
    for (Index c = 0; c < block_units; c += sums.columns)
      sums.add(lists, coupling.data + c, coupling.stride, {T{1}, T{1}}, fields.columns(c, c + sums.columns));
  }
}

/// The units [begin, end) by themselves.
template <class T>
CoupledUnits<T> part_of(const CoupledUnits<T>& units, Index begin, Index end) {
  CoupledUnits<T> part = units;
  part.coupling = units.coupling.slice(begin, end).columns(begin, end);
  if (units.bias) part.bias = units.bias + begin;
  if (units.held.data) part.held = units.held.columns(begin, end);
  return part;
}

template <class T>
void sweep_by_sums(const KernelsOf<T>& kernels, const DrawBlock& block, const CoupledUnits<T>& units,
                   MatrixView<T> state, bool copied) {
  const Index n = state.cols, blocks = blocks_of(n);
  SweepMemory<T>& scratch = SweepMemory<T>::of_thread();
  OnesInTurn<T> ones(kernels.sums, scratch, state);
  const MatrixView<T> fields{aligned_part(scratch.fields, state.rows * block_units), state.rows, block_units,
                             block_units};
  T* const of_sweep = sized(scratch.of_sweep, sweep_scratch(block_units));
  for (Index b = 0; b < blocks; ++b) {
    const Index begin = b * block_units, end = std::min(begin + block_units, n);
    const Index first = std::min(begin, n - block_units);  // the last block has columns of the one before beside
    for (Index r = 0; r < state.rows; ++r) {
      if (units.field.data) std::copy_n(units.field.row(r) + first, block_units, fields.row(r));
      else std::fill_n(fields.row(r), block_units, T{0});
    }
    add_sums(kernels.sums, ones, b + 1, b + blocks,
             couplings(units.coupling.columns(first, first + block_units), copied, scratch), fields);
    CoupledUnits<T> part = part_of(units, begin, end);
    part.field = fields.columns(begin - first, end - first);
    DrawBlock words = block;
    words.first_site += static_cast<std::uint32_t>(begin);
    kernels.sweep(words, part, state.columns(begin, end), of_sweep);
    if (b + 1 < blocks) ones.append(b, state);
  }
}

/// How many states are 1, where sums can be taken at all; not_bits: they cannot.
template <class T>
Index ones_to_sum(const KernelsOf<T>& kernels, const CoupledUnits<T>& units, MatrixView<const T> state) {
  if (units.low != T{0} || units.high != T{1}) return not_bits;
  return count_ones(kernels.sums, state);
}

}  // namespace

CostOfSweeps CostOfSweeps::of(std::string_view isa) {
  constexpr OfChains few{0.0725, 0.13, 0.86, 3.9};  // what they wait for is memory, whatever the instruction set
  const std::string_view level = isa.substr(0, isa.find('+'));
  if (level == "v4") return {{0.0099, 0.0195, 0.3, 1.3}, few, 0.06};
  if (level == "v3") return {{0.0191, 0.0288, 0.05, 2.0}, few, 0.06};
  return {{0.0511, 0.062, 0.35, 2.2}, few, 0.06};
}

CostOfSweeps CostOfSweeps::in_double() const {
  CostOfSweeps result = *this;
  for (OfChains* each : {&result.many, &result.few})
    for (double* cost : {&each->multiplication, &each->addition, &each->part, &each->rest}) *cost *= 2.0;
  result.copying *= 2.0;
  return result;
}

CostOfSweeps CostOfSweeps::here(bool in_double) {
  const CostOfSweeps of_floats = of(instruction_set());
  return in_double ? of_floats.in_double() : of_floats;
}

// Of a chain and a unit: (n - 64) multiplications beside p (n - 64) additions and what else these take.
double CostOfSweeps::limit(Index rows, Index units) const {
  if (units <= block_units || rows == 0) return 0.0;
  constexpr Index one_by_one = 5;  // fewer chains are
  const OfChains& cost = rows < one_by_one ? few : many;
  const auto chains = static_cast<double>(rows), others = static_cast<double>(units - block_units);
  const Index parts = (blocks_of(units) - 1 + blocks_together - 1) / blocks_together;
  const double left = cost.multiplication * others - cost.rest - cost.part * static_cast<double>(parts);
  const double copied = (left - copying * static_cast<double>(units) / chains) / (cost.addition * others);
  if (rows < one_by_one) return left / (cost.addition * others);
  return std::max(copied, left / ((cost.addition + copying / ones_of_copied) * others));
}

double limit_of_sums(const CostOfSweeps& cost, ProductWay way, Index rows, Index units) {
  if (way == ProductWay::gemm || units <= block_units || units > most_positions) return 0.0;
  return way == ProductWay::sparse_sums ? 2.0 : cost.limit(rows, units);
}

bool copies_couplings(Index ones, Index units) {
  return static_cast<double>(ones) >= ones_of_copied * static_cast<double>(units);
}

template <std::floating_point T>
void sweep_coupled(const KernelsOf<T>& kernels, const DrawBlock& block, const CoupledUnits<T>& units,
                   MatrixView<T> state, ProductWay way) {
  static const CostOfSweeps cost = CostOfSweeps::here(std::is_same_v<T, double>);
  const double limit = limit_of_sums(cost, way, state.rows, state.cols);
  const Index ones = limit > 0.0 ? ones_to_sum<T>(kernels, units, state) : not_bits;  // counting takes time, too
  const double states = static_cast<double>(state.rows) * static_cast<double>(state.cols);
  if (ones != not_bits && static_cast<double>(ones) < limit * states) {
    sweep_by_sums(kernels, block, units, state, copies_couplings(ones, state.cols));
    return;
  }
  // For overwriting: zeros of a large one take half of the time.
  const auto scratch = std::make_unique_for_overwrite<T[]>(sweep_scratch(state.cols));
  kernels.sweep(block, units, state, scratch.get());
}

template void sweep_coupled(const KernelsOf<float>&, const DrawBlock&, const CoupledUnits<float>&, MatrixView<float>,
                            ProductWay);
template void sweep_coupled(const KernelsOf<double>&, const DrawBlock&, const CoupledUnits<double>&, MatrixView<double>,
                            ProductWay);

}  // namespace v1
}  // namespace harmonium
