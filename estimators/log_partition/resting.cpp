#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/online.hpp>
#include <harmonium/framework/inference/rungs.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_rungs = 10'000, most_rows = 100'000'000;

/// Whether each ladder has a row at every rung.
bool complete(std::vector<std::uint32_t> rung, Index rungs) {
  if (rungs == 0 || rung.size() % rungs != 0) return rung.empty();
  for (auto first = rung.begin(); first != rung.end(); first += static_cast<std::ptrdiff_t>(rungs)) {
    std::sort(first, first + static_cast<std::ptrdiff_t>(rungs));
    for (Index k = 0; k < rungs; ++k)
      if (first[static_cast<std::ptrdiff_t>(k)] != k) return false;
  }
  return true;
}

Index nearest(const std::vector<double>& betas, double beta) {
  const auto closer = [beta](double a, double b) { return std::abs(a - beta) < std::abs(b - beta); };
  return static_cast<Index>(std::ranges::min_element(betas, closer) - betas.begin());
}

}  // namespace

Chains Resting::chains(const Layout& layout) const {
  Chains rows(layout, rung.size());
  for (const LayerId l : layout.ids()) {
    const MatrixRef to = rows.write(l);
    const std::vector<Real>& from = values[static_cast<Index>(l)];
    for (Index r = 0; r < to.rows; ++r)
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(r * to.cols), to.cols, to.row(r));
  }
  std::ranges::copy(rung, rows.rung().begin());
  rows.set_step(step);
  return rows;
}

void Resting::move_to(std::vector<double> new_betas, const Layout& layout) {
  const Chains old = chains(layout);
  const Index were = betas.size(), rungs = new_betas.size();
  Chains rows(layout, old.size() / were * rungs);
  assign_rungs(rows, rungs);
  std::vector<Index> from(rungs), place(old.size());
  std::ranges::transform(new_betas, from.begin(), [&](double beta) { return nearest(betas, beta); });
  for (Index r = 0; r < old.size(); ++r) place[r / were * were + old.rung()[r]] = r;
  for (Index to = 0; to < rows.size(); ++to) {
    const Index r = place[to / rungs * were + from[to % rungs]];
    rows.copy_rows(layout.all(), {old, r, r + 1}, to);
  }
  rows.set_step(step);
  put(rows, std::move(new_betas));
}

void Resting::put(const Chains& rows, std::vector<double> of_rungs) {
  betas = std::move(of_rungs);
  values.assign(rows.num_layers(), {});
  for (Index l = 0; l < values.size(); ++l) {
    const ConstMatrixRef from = rows.read(static_cast<LayerId>(l));
    for (Index r = 0; r < from.rows; ++r) values[l].insert(values[l].end(), from.row(r), from.row(r) + from.cols);
  }
  rung.assign(rows.rung().begin(), rows.rung().end());
  ExchangeTally tally(betas.size());
  tally.follow(rows);
  last_ends = std::move(tally.last_end);
  step = rows.step();
}

void Resting::put(const Ladders& ladders) {
  put(ladders.chains(), ladders.betas());
  last_ends = ladders.last_ends();
}

void Resting::state(StateArchive& archive) {
  archive.field("betas", betas, FieldSize::up_to(most_rungs));
  archive.field("rung", rung, FieldSize::up_to(most_rows));
  archive.field("last_ends", last_ends, rung.size());
  archive.field("step", step);
  if (archive.loading()) {
    if (!betas.empty()) check_ladder(archive, "betas", betas);
    if (!betas.empty() && (betas.size() < 2 || betas.back() != 0.0))
      archive.refuse("betas", "is no ladder down to 0 of two rungs or more");
    if (!complete(rung, betas.size())) archive.refuse("rung", "are not the rungs of whole ladders");
    if (std::ranges::any_of(last_ends, [](std::uint8_t end) { return end > ExchangeTally::far_end; }))
      archive.refuse("last_ends", "has an end that a ladder does not have");
    values.assign(archive.sizes().columns.size(), {});
  }
  for (Index l = 0; l < values.size(); ++l)
    archive.field(fmt::format("layer{}", l), values[l],
                  archive.loading() ? rung.size() * archive.sizes().columns[l] : 0);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
