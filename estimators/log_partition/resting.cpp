#include <algorithm>

#include <fmt/format.h>

#include <harmonium/estimators/log_partition/online.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_rungs = 10'000, most_rows = 100'000'000, most_calls = 1000;

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

void Resting::put(const Ladders& ladders) {
  const Chains& rows = ladders.chains();
  betas = ladders.betas();
  values.assign(rows.num_layers(), {});
  for (Index l = 0; l < values.size(); ++l) {
    const ConstMatrixRef from = rows.read(static_cast<LayerId>(l));
    for (Index r = 0; r < from.rows; ++r) values[l].insert(values[l].end(), from.row(r), from.row(r) + from.cols);
  }
  rung.assign(rows.rung().begin(), rows.rung().end());
  last_ends = ladders.last_ends();
  step = rows.step();
}

void Resting::state(StateArchive& archive) {
  archive.field("betas", betas, FieldSize::up_to(most_rungs));
  archive.field("rung", rung, FieldSize::up_to(most_rows));
  archive.field("last_ends", last_ends, rung.size());
  archive.field("round_trips", round_trips, FieldSize::up_to(most_calls));
  archive.field("step", step);
  if (archive.loading()) {
    if (!betas.empty()) check_ladder(archive, "betas", betas);
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
