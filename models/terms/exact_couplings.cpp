#include <harmonium/models/terms/exact_couplings.hpp>

#include <optional>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

[[maybe_unused]] std::optional<MatrixView<const double>> as_it_is(MatrixView<const double> w) { return w; }
[[maybe_unused]] std::optional<MatrixView<const double>> as_it_is(MatrixView<const float>) { return {}; }

MatrixView<const double> copy_in_double(ConstMatrixRef w, std::vector<double>& to) {
  to.clear();
  to.reserve(w.rows * w.cols);  // not resized: zeros first are a second pass over a large tensor
  for (Index r = 0; r < w.rows; ++r) to.insert(to.end(), w.row(r), w.row(r) + w.cols);
  return {to.data(), w.rows, w.cols, w.cols};
}

}  // namespace

void ExactCouplings::follow(ConstMatrixRef w) {
  followed_ = w.data;
  made_ = false;
  copy_ = {};  // its room is for those who need it now
}

MatrixView<const double> ExactCouplings::of(ConstMatrixRef w, std::vector<double>& own) const {
  if (const auto same = as_it_is(w)) return *same;
  if (w.data != followed_) return copy_in_double(w, own);
  if (!made_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(making_);
    if (!made_.load(std::memory_order_relaxed)) {
      copy_in_double(w, copy_);
      made_.store(true, std::memory_order_release);
    }
  }
  return {copy_.data(), w.rows, w.cols, w.cols};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
