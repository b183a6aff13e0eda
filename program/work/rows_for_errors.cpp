#include <harmonium/program/work/rows_for_errors.hpp>

#include <algorithm>

#include <harmonium/framework/model/zero_sum_gauge.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The units of all layers, one layer after the other, whose laws given the others each entry of θ is in.
class UnitsOfEntries {
 public:
  explicit UnitsOfEntries(const EnergyModel& model) : layout_(model.layout()), of_entry_(model.parameters().size()) {
    for (const Layer& layer : layout_.layers()) {
      first_.push_back(num_units_);
      num_units_ += layer.size;
    }
    for (const ParameterBlock& block : model.parameter_layout().blocks()) add(block);
    for (std::vector<Index>& units : of_entry_) make_unique(units);
  }
  Index num_units() const { return num_units_; }
  std::vector<Index> of(const Direction& direction, const std::vector<Places>& numbers) const {
    std::vector<Index> all;
    for (const auto& [number, weight] : direction) {
      const std::vector<Index>& own = of_entry_[numbers[number].front()];
      all.insert(all.end(), own.begin(), own.end());
    }
    make_unique(all);
    return all;
  }
  /// What a row tells of a unit: its state, or the numbers that are free among the columns of its states.
  Index numbers_told(Index unit) const {
    const auto layer = static_cast<Index>(std::ranges::upper_bound(first_, unit) - first_.begin()) - 1;
    const UnitType& type = *layout_.layers()[layer].unit;
    return has_gauge(type) ? std::max<Index>(type.width(), 2) - 1 : 1;
  }

 private:
  static void make_unique(std::vector<Index>& units) {
    std::ranges::sort(units);
    units.erase(std::unique(units.begin(), units.end()), units.end());
  }
  Index unit_at(LayerId id, Index column) const {
    return first_[static_cast<Index>(id)] + column / layout_[id].unit->width();
  }
  void add(const ParameterBlock& block) {
    if (block.role == ParameterRole::edges) {
      for (const Edge& e : *block.edges)
        for (const Index unit : {Index{e.a}, Index{e.b}})
          of_entry_[block.offset + e.entry].push_back(first_[static_cast<Index>(block.layers[0])] + unit);
      return;
    }
    const bool coupling = block.role == ParameterRole::coupling && block.layers.size() == 2 &&
                          block.rows == layout_[block.layers[0]].columns() &&
                          block.cols == layout_[block.layers[1]].columns();
    const bool of_columns = block.role != ParameterRole::other && block.layers.size() == 1 && block.cols == 1 &&
                            block.rows == layout_[block.layers[0]].columns();
    for_each_entry(block, [&](Index place) {
      const Index entry = place - block.offset;
      std::vector<Index>& units = of_entry_[place];
      for (Index i = 1; of_columns && block.uniform && i < block.size(); ++i)
        units.push_back(unit_at(block.layers[0], i));
      if (coupling || of_columns) units.push_back(unit_at(block.layers[0], entry / block.cols));
      if (coupling) units.push_back(unit_at(block.layers[1], entry % block.cols));
      if (coupling || of_columns) return;
      for (Index u = 0; u < num_units_; ++u)
        units.push_back(u);  // of another kind: in all, which asks for no fewer rows
    });
  }

  const Layout& layout_;
  std::vector<Index> first_;  ///< unit of each layer
  Index num_units_ = 0;
  std::vector<std::vector<Index>> of_entry_;
};

}  // namespace

RowsForErrors rows_for_errors(const EnergyModel& model, const std::vector<Places>& numbers,
                              const std::vector<Direction>& directions) {
  constexpr Index rows_to_each = 4;
  const UnitsOfEntries units(model);
  std::vector<Index> parameters(units.num_units(), 0);
  for (const Direction& direction : directions)
    for (const Index unit : units.of(direction, numbers)) ++parameters[unit];
  RowsForErrors found;
  for (Index u = 0; u < parameters.size(); ++u) {
    const Index told = units.numbers_told(u), least = (rows_to_each * parameters[u] + told - 1) / told;
    if (least > found.least) found = {least, parameters[u]};
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
