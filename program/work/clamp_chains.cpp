#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/clamp.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void Clamp::held_columns(Index row, std::span<std::uint8_t> held) const {
  rows_->seen({&row, 1}, {held.data(), 1, held.size(), held.size()});
  Index column = 0;
  for (const LayerId l : layout_->ids(layout_->observed())) {
    const Layer& layer = (*layout_)[l];
    if (layer.name == label_layer && !has_labels()) continue;
    const Index width = layer.unit->width();
    for (const Fixed& free : left_free_)
      if (free.layer == l) std::fill_n(&held[column + free.begin * width], (free.end - free.begin) * width, 0);
    column += layer.columns();
  }
}

std::string Clamp::unequal_rows_remark(Index samples) const {
  if (!rows_ || samples % rows_->rows() == 0) return "";
  const Index rows = rows_->rows(), each = samples < rows ? samples : samples / rows + 1;
  const std::string way = fmt::format("--num-samples {} draws {} for each.", rows * each,
                                      each == 1 ? std::string("one") : std::to_string(each));
  if (samples < rows)
    return fmt::format("{} of the {} rows of {}: samples hold its rows in order. {}", samples, rows, file_, way);
  return fmt::format(
      "{} samples of the {} rows of {}: they hold its rows in order, from the start again at its end, so that {} "
      "held once more than the others. {}",
      samples, rows, file_,
      samples % rows == 1 ? std::string("the first is") : fmt::format("the first {} are", samples % rows), way);
}

std::string Clamp::held_class_remark() const {
  const auto place = label_place(*layout_);
  if (!rows_ || !place || !has_labels()) return "";
  const Index labels = label_columns(*layout_);
  const LayerId layer = layout_->find(label_layer);
  if (std::ranges::any_of(fixed_, [&](const Fixed& fixed) { return fixed.layer == layer; })) return "";
  std::vector<std::uint8_t> held(rows_->cols());
  for (Index r = 0; r < rows_->rows(); ++r) {
    held_columns(r, held);
    const auto first = held.begin() + static_cast<std::ptrdiff_t>(*place);
    const auto others = std::count(held.begin(), held.end(), std::uint8_t{1}) -
                        std::count(first, first + static_cast<std::ptrdiff_t>(labels), std::uint8_t{1});
    if (*first != 0 && others > 0 && static_cast<Index>(others) < rows_->cols() - labels)
      return fmt::format(
          "{}: the classes of its rows are held too, so that what is drawn of a row is drawn given its class. To draw "
          "the classes with it, add --clamp {}=free.",
          rows_->name(), label_layer);
  }
  return "";
}

void Clamp::write(Chains& chains, Index first_sample, Index rungs, Index block) const {
  if (rows_) {
    const bool labels = has_labels();
    std::vector<double> values(rows_->cols());
    std::vector<std::uint8_t> seen(rows_->cols());
    for (Index r = 0; r < chains.size(); ++r) {
      const Index row = (first_sample + r / rungs) % rows_->rows();
      rows_->fetch<double>(row, 0, {values.data(), 1, values.size(), values.size()});
      held_columns(row, seen);
      Index column = 0;
      for (const LayerId l : layout_->ids()) {
        const Layer& layer = (*layout_)[l];
        if (layer.role == Role::latent || (layer.name == label_layer && !labels)) continue;
        const MatrixRef x = chains.write(l);
        for (Index c = 0; c < x.cols; ++c, ++column)
          if (seen[column]) x(r, c) = static_cast<Real>(values[column]);
      }
    }
  }
  for (const Fixed& f : fixed_) {
    const MatrixRef x = chains.write(f.layer);
    const Index first = f.begin * (*layout_)[f.layer].unit->width();
    const Index states = std::max<Index>(f.states, 1), length = f.values.size() / states;
    for (Index r = 0; r < x.rows; ++r) {
      const Index state = (first_sample + r / rungs) / block % states;
      std::copy_n(f.values.data() + state * length, length, x.row(r) + first);
    }
  }
}

HeldMask Clamp::mask(Index first_sample, Index samples, Index rungs) const {
  HeldMask mask;
  const Index rows = samples * rungs;
  Index first = 0;
  const bool labels = rows_ && has_labels();
  for (const LayerId l : layout_->ids()) {
    const Layer& layer = (*layout_)[l];
    const Index width = layer.unit->width();
    std::vector<std::uint8_t> units(rows * layer.size, 0);
    if (rows_ && layer.role == Role::observed && (layer.name != label_layer || labels)) {
      std::vector<std::uint8_t> seen(rows_->cols());
      for (Index r = 0; r < rows; ++r) {
        const Index row = (first_sample + r / rungs) % rows_->rows();
        held_columns(row, seen);
        for (Index u = 0; u < layer.size; ++u)
          units[r * layer.size + u] =
              std::all_of(&seen[first + u * width], &seen[first + u * width] + width, [](auto s) { return s != 0; });
      }
      first += layer.columns();
    }
    for (const Fixed& f : fixed_)
      for (Index r = 0; f.layer == l && r < rows; ++r)
        std::fill(&units[r * layer.size] + f.begin, &units[r * layer.size] + f.end, std::uint8_t{1});
    if (std::ranges::all_of(units, [](std::uint8_t u) { return u != 0; })) mask.hold(l);
    else if (std::ranges::any_of(units, [](std::uint8_t u) { return u != 0; }))
      mask.hold_units(l, layer.size, std::move(units));
  }
  return mask;
}

void check_held(const Sampler& sampler, Target target, const Clamp& clamp, Index samples) {
  if (clamp.empty()) {
    sampler.check(target);
    return;
  }
  constexpr Index at_a_time = 8192;  // masks are a byte a unit
  const Index differing = std::min(samples, clamp.period());
  for (Index first = 0; first < differing; first += at_a_time) {
    const HeldMask held = clamp.mask(first, std::min(at_a_time, differing - first), sampler.rungs());
    target.held = &held;
    sampler.check(target);
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
