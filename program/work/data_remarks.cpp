#include <harmonium/program/work/data_remarks.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/config/subtable.hpp>
#include <harmonium/framework/data/survey.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/model/held_mask.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/framework/training/state_columns.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// Gaussian units that are given bits, or numbers far from the variance 1 that they begin with.
std::string gaussian_remark(const Dataset& data, const Layer& layer) {
  if (data.is_binary())
    return fmt::format(
        "every value is 0 or 1, and {} units of layer '{}' take them for numbers. Binary units take bits.",
        layer.unit->name(), layer.name);
  constexpr double far = 10;
  const std::vector<double> deviations = Transform::fit(Transform::Kind::standardize, data, 0)->scale();
  const auto [min, max] = std::ranges::minmax(deviations);
  if (max <= far && max >= 1 / far) return "";
  return fmt::format(
      "the columns have standard deviations from {:.3g} to {:.3g}, and {} units of layer '{}' begin with 1. Set "
      "data.standardize or data.whiten.",
      min, max, layer.unit->name(), layer.name);
}

/// Spins whose data hold something else than -1 and 1, such as a column of bits among them.
std::string spin_remark(const Dataset& data, const Layout& layout) {
  constexpr double spins[] = {-1, 1};
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : layout.ids(layout.observed())) {
    const Layer& layer = layout[l];
    if (layer.unit->num_states() != 2 || layer.unit->min() != -1 || data.binarize() != Binarize::none) continue;
    if (const auto other = data.first_outside(spins, first[l], first[l] + layer.columns()))
      return fmt::format(
          "{} is {:g}, and units of layer '{}' are -1 or 1: it is taken for a mean of theirs. A column of bits "
          "is made one of spins by 2x - 1.",
          text_of(*other), other->value, layer.name);
  }
  return "";
}

}  // namespace

std::string far_value_remark(const Dataset& data, const Layout& layout) {
  constexpr double far = 20;
  const Transform* transform = data.transform().get();
  if (!transform || transform->kind() != Transform::Kind::standardize) return "";
  const PerLayer<Index> first = layout.first_columns(layout.observed());
  for (const LayerId l : layout.ids(layout.observed())) {
    if (!goes_by_energy(*layout[l].unit)) continue;
    const auto place =
        data.first_outside([](double v) { return std::abs(v) <= far; }, first[l], first[l] + layout[l].columns());
    if (!place) continue;
    const Index classes = data.cols() - transform->cols();  // that are columns, but none of the transform's
    const Index column =
        classes > 0 && place->col >= label_place(layout).value_or(data.cols()) ? place->col - classes : place->col;
    const double mean = transform->mean()[column];
    const bool constant = std::ranges::count(transform->constant_columns(), column) > 0;
    return fmt::format(
        "{}: {} is {:g}, {}. One such value decides the figures of all rows: mend it, or leave its row out, if it is "
        "not meant.",
        data.name(), text_of(*place), place->value * transform->scale()[column] + mean,
        constant
            ? fmt::format("where all training rows have {:g}", mean)
            : fmt::format("{:.3g} standard deviations of the training rows from their mean", std::abs(place->value)));
  }
  return "";
}

void tell_of_states(const Dataset& data, const Layout& layout, Display* display) {
  if (const std::string remark = states_remark(data, layout); display && !remark.empty()) display->warn(remark);
}

void tell_of_rows_at_random(const Value& spec, const Dataset& data, Display* display) {
  const Value* asked = spec.find("rows");
  if (!display || !asked || !asked->number()) return;
  const Index rows = data.rows();
  if (rows == 1)
    display->warn(
        fmt::format("{}: one row, drawn at random (another --seed draws another). --set data.rows=0:1 takes the first.",
                    data.name()));
  else
    display->warn(
        fmt::format("{}: {} rows, drawn at random (another --seed draws others) and kept in their order. --set "
                    "data.rows=0:{} takes "
                    "the first {}.",
                    data.name(), rows, rows, rows));
}

std::vector<std::string> data_remarks(const Dataset& data, const Layout& layout) {
  std::vector<std::string> remarks;
  if (const Transform* transform = data.transform().get(); transform && !transform->constant_columns().empty())
    remarks.push_back(
        fmt::format("{} of {} columns have one value in all training rows (the first is column {}, counted from 0): "
                    "standardized with deviation 1.",
                    transform->constant_columns().size(), transform->cols(), transform->constant_columns()[0]));
  const double min = data.min().value, max = data.max().value;
  if (data.rows() > 1 && min == max) {
    remarks.push_back(fmt::format(
        "every value of the training rows is {:g}: there is nothing to learn. Look at data.binarize and data.range.",
        min));
    return remarks;
  }
  if (data.num_classes() > 0 && !label_place(layout))
    remarks.push_back(fmt::format(
        "the data has labels of {} classes, and the model no layer for them, so that they are not used. Set "
        "model.num_labels = {} for one; in a model of type \"layered\", add an observed layer \"label\".",
        data.num_classes(), data.num_classes()));
  if (const std::string remark = spin_remark(data, layout); !remark.empty()) remarks.push_back(remark);
  const auto first = std::ranges::find_if(
      layout.layers(), [](const Layer& layer) { return layer.role == Role::observed && layer.name != label_layer; });
  if (first == layout.layers().end()) return remarks;
  if (goes_by_energy(*first->unit) && !data.transform()) {
    if (const std::string remark = gaussian_remark(data, *first); !remark.empty()) remarks.push_back(remark);
  } else if (first->unit->num_states() == 2 && first->unit->width() == 1 && !label_place(layout)) {
    if (const Index states = one_hot_states(data); states > 0)
      remarks.push_back(fmt::format(
          "each row is {} sites of {} states, a single 1 in each, and {} units know nothing of sites. Categorical "
          "units "
          "do: model.num_visible = {}, model.visible_units = {{ type = \"categorical\", num_states = {} }}.",
          data.cols() / states, states, first->unit->name(), data.cols() / states, states));
  }
  return remarks;
}

Index rows_without_class(const Dataset& data, const Layout& layout) {
  constexpr Index piece = 2000;
  const LayerId label = layout.find(label_layer);
  Index without = 0;
  for (Index first = 0; data.has_missing() && first < data.rows(); first += piece) {
    const Index count = std::min(piece, data.rows() - first);
    const HeldMask seen = seen_of(data, layout, first, count);
    if (seen.holds(label)) continue;
    const MatrixView<const std::uint8_t> known = seen.units(label, 0, count);
    for (Index r = 0; r < count; ++r) without += known.empty() || known(r, 0) == 0 ? 1 : 0;
  }
  return without;
}

std::string way_to_give_classes(const Value& source, const Value& options, const Registries& registries) {
  const Value* type = source.find("type");
  if (!type || !type->is_string()) return "";
  const auto& entries = registries.of<DataSource>().entries();
  const auto entry = entries.find(std::get<std::string>(type->data));
  if (entry == entries.end()) return "";
  const std::vector<OptionInfo> known = entry->second.describe();
  const Value* set = options.find("data");
  std::vector<std::string> ways;
  for (const auto& [key, way] :
       {std::pair{"labels", "--set data.labels=FILE"},
        {"label_column", "--set data.label_column=NAME, where a column of the file has them"}}) {
    if (set && set->find(key)) return "";
    if (std::ranges::find(known, key, &OptionInfo::name) != known.end()) ways.emplace_back(way);
  }
  return ways.empty() ? "" : fmt::format(" Give classes by {}.", fmt::join(ways, ", or by "));
}

std::string drawn_bits_remark(const Value& config, bool given) {
  const Value* data = subtable(config, "data");
  const Value* path = data ? data->find("path") : nullptr;
  const bool of_machine =
      !given && path && path->is_string() && std::get<std::string>(path->data).find("passed_up") != std::string::npos;
  return fmt::format(
      "the rows are bits that were drawn once of {} (data.binarize = \"each_epoch\"): figures are of these bits, {}.",
      of_machine ? "the probabilities that the machine below passes up" : "gray values",
      given ? "and another --seed draws others" : "others than those of the figures at the end of the run");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
