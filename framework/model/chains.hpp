#pragma once

#include <span>
#include <vector>

#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace v1 {
class StateArchive;
}
inline namespace HARMONIUM_ABI {

using ByteView = MatrixView<std::uint8_t>;
using ConstByteView = MatrixView<const std::uint8_t>;

struct ConstChainView;

/// A batch of configurations: one row a chain, one row-major matrix a layer. Holds what a Markov chain must remember and
/// nothing else: values, rung, step, first global chain number; that is also its checkpoint.
///
/// A layer is current as Real, as bytes, or both: `read` and `write` are the only doors, so that kernels that work in
/// bytes and models that work in Real meet here and nowhere else. Asking for the form that is not current converts the
/// whole layer: it may be done from one thread only. Asking for the current form may be done from many at once.
class Chains {
 public:
  Chains() = default;
  Chains(const Layout& layout, Index num_rows, std::uint32_t first_chain = 0);

  Index size() const { return num_rows_; }
  Index num_layers() const { return layers_.size(); }

  ConstMatrixRef read(LayerId layer) const;
  /// The layer as Real, to be changed: bytes are stale from now on.
  MatrixRef write(LayerId layer);
  /// All rows, every layer current as Real: what threads are given to read side by side.
  ConstChainView real() const;
  /// Rows of `from` into the rows from `at` on, of the layers of `layers`.
  void copy_rows(LayerSet layers, const ConstChainView& from, Index at = 0);
  /// Every row of the layers of `layers` becomes row `row` of `from`.
  void copy_to_all(LayerSet layers, const Chains& from, Index row);

  /// Throws CapabilityError for a layer whose units do not fit a byte, and for a value that is no state of its unit (a
  /// gray value of the data).
  ConstByteView read_bytes(LayerId layer) const;
  ByteView write_bytes(LayerId layer);

  /// Place of each row on a ladder of temperatures; 0 is the target itself.
  std::span<const std::uint32_t> rung() const { return rung_; }
  std::span<std::uint32_t> rung() { return rung_; }
  /// Transitions made so far. It only ever grows within a run: no random word is met twice.
  std::uint64_t step() const { return step_; }
  void set_step(std::uint64_t step) { step_ = step; }
  /// Global number of row 0, so that a run split over processes draws the same words.
  std::uint32_t first_chain() const { return first_chain_; }

  void state(StateArchive& archive);

 private:
  struct LayerValues {
    Index columns = 0;
    std::optional<ByteCode> code;
    mutable bool real_current = true, bytes_current = false;
    mutable std::vector<Real> real;
    mutable std::vector<std::uint8_t> bytes;
  };
  const LayerValues& values(LayerId layer) const { return layers_[layer]; }
  /// body(layer) for those of `layers` that there are.
  template <class Body>
  void for_each(LayerSet layers, const Body& body) const {
    for (Index l = 0; l < layers_.size(); ++l)
      if (const auto id = static_cast<LayerId>(l); layers.contains(id)) body(id);
  }
  void make_real_current(const LayerValues& v) const;
  void make_bytes_current(const LayerValues& v) const;

  Index num_rows_ = 0;
  std::uint32_t first_chain_ = 0;
  std::uint64_t step_ = 0;
  std::vector<std::uint32_t> rung_;
  PerLayer<LayerValues> layers_;
};

/// Rows [begin, end) of a batch: the unit of work of every kernel.
struct ConstChainView {
  const Chains* chains;
  Index begin, end;

  ConstChainView(const Chains& c) : chains(&c), begin(0), end(c.size()) {}  // NOLINT(google-explicit-constructor)
  ConstChainView(const Chains& c, Index b, Index e) : chains(&c), begin(b), end(e) {}
  Index rows() const { return end - begin; }
  /// Rows [b, e) of these.
  ConstChainView slice(Index b, Index e) const { return {*chains, begin + b, begin + e}; }
  ConstMatrixRef operator[](LayerId layer) const { return chains->read(layer).slice(begin, end); }
};
struct ChainView {
  Chains* chains;
  Index begin, end;

  ChainView(Chains& c, Index b, Index e) : chains(&c), begin(b), end(e) {}
  Index rows() const { return end - begin; }
  MatrixRef operator[](LayerId layer) const { return chains->write(layer).slice(begin, end); }
  operator ConstChainView() const { return {*chains, begin, end}; }  // NOLINT(google-explicit-constructor)
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
