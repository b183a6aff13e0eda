#include <harmonium/framework/testing/unit_addresses.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/testing/pair_independence.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

constexpr Index drawn_units = 4, places = 80;
/// Rows of two draws, the second of which goes on where the first ends.
constexpr Index rows_of_first = 272, rows_of_second = 48, rows_of_both = rows_of_first + rows_of_second;

/// Rows of units under one law, its fields being 0 but for a curvature of 1.
class DrawnRows {
 public:
  DrawnRows(const UnitType& unit, Index num_units) : unit_(unit), columns_(num_units * unit.width()) {
    linear_.assign(rows_of_both * columns_, Real{0});
    curvature_.assign(columns_, Real{1});
  }
  Index columns() const { return columns_; }
  std::vector<Real> draw(const DrawBlock& addresses, Index rows) const {
    ConstFields f{{linear_.data(), rows, columns_, columns_}};
    if (unit_.has_curvature()) f.curvature = {curvature_.data(), rows, columns_, 0};
    std::vector<Real> out(rows * columns_);
    unit_.sample(f, addresses, {out.data(), rows, columns_, columns_}, {});
    return out;
  }

 private:
  const UnitType& unit_;
  Index columns_;
  std::vector<Real> linear_, curvature_;
};

/// Each place differs from the first in one part of its address.
DrawBlock address_of(Index place) {
  DrawBlock at{.key = 12345, .first_chain = 0, .step = 3, .layer = 1};
  const auto by = static_cast<std::uint32_t>(place / 3 + 1);
  if (place == 0) return at;
  if (place % 3 == 0) at.step += by;
  else if (place % 3 == 1) at.layer += by;
  else at.key += std::uint64_t{by} << (place % 2 == 0 ? 0 : 32);
  return at;
}

}  // namespace

void check_unit_addresses(const UnitType& unit, CheckReport& report) {
  const DrawnRows rows(unit, drawn_units);
  const Index width = unit.width();
  PairIndependence table(places * drawn_units, rows_of_both);
  for (Index place = 0; place < places; ++place)
    for (const Index first : {Index{0}, rows_of_first}) {
      DrawBlock at = address_of(place);
      at.first_chain = static_cast<std::uint32_t>(first);
      const Index num = first == 0 ? rows_of_first : rows_of_second;
      const std::vector<Real> drawn = rows.draw(at, num);
      for (Index r = 0; r < num; ++r)
        for (Index u = 0; u < drawn_units; ++u) {
          double value = 0.0;  // of several columns the number of the state
          for (Index c = 0; c < width; ++c)
            value += static_cast<double>(c + 1) * static_cast<double>(drawn[r * rows.columns() + u * width + c]);
          table(place * drawn_units + u, first + r) = value;
        }
    }
  const PairIndependence::Findings found = table.examine(1, "row", "draw");
  report.judge(
      "no random word is shared",
      found.complaint.empty()
          ? ""
          : fmt::format("{} rows, {} draws of {} drawn_units, each at a step, a layer or a key of its own and counted "
                        "unit by unit: {}. A random word serves both.",
                        rows_of_both, places, drawn_units, found.complaint),
      fmt::format("{} rows, {} draws of {} units at other steps, layers and keys: none depends on another; a "
                  "correlation of {:.2f} would be seen",
                  rows_of_both, places, drawn_units, found.of_pair));

  const DrawBlock addresses = address_of(0);
  const std::vector<Real> all = rows.draw(addresses, rows_of_first);
  std::string complaint;
  for (Index u = 0; u < drawn_units; ++u) {
    DrawBlock own = addresses;
    own.first_site = static_cast<std::uint32_t>(u);
    const std::vector<Real> alone = DrawnRows(unit, 1).draw(own, rows_of_first);
    for (Index r = 0; r < rows_of_first && complaint.empty(); ++r)
      if (!std::equal(&alone[r * width], &alone[r * width] + width, &all[r * rows.columns() + u * width]))
        complaint = fmt::format("unit {} of row {}, drawn alone with first_site = {}, is not what it is among {} units",
                                u, r, u, drawn_units);
  }
  report.judge("a unit's draws are by its own site", complaint, "units drawn alone are what they are among others");
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
