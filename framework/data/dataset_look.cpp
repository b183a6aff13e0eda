#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <harmonium/framework/core/xtensor.hpp>
#include <harmonium/framework/data/dataset_storage.hpp>

namespace harmonium {
inline namespace v1 {

std::array<bool, 256> Dataset::bytes_present() const {
  if (!rows_) return storage_->present;
  std::array<bool, 256> present{};
  visit_rows([&](Index, const auto* from) {
    for (Index c = 0; c < storage_->table.cols; ++c) present[static_cast<std::uint8_t>(from[c])] = true;
    return true;
  });
  return present;
}

ValuePlace Dataset::extreme(double sign) const {
  const Storage& s = *storage_;
  const Index width = s.table.cols;
  // A bit that is drawn takes both values unless its probability is 0 or 1.
  const auto reached = [&](double number, Index col) {
    if (s.binarize != Binarize::each_epoch) return sign * s.value(number, col);
    const double p = s.probability(number);
    return sign * s.of_bit(sign > 0 ? std::ceil(p) : std::floor(p), col);
  };
  double best = -std::numeric_limits<double>::infinity();
  if (s.tabled()) {
    const std::array<bool, 256> present = bytes_present();
    for (int b = 0; b < 256; ++b)
      if (present[b]) best = std::max(best, reached(b, 0));
  } else {
    visit_rows([&](Index r, const auto* from) {
      for (Index c = 0; c < width; ++c)
        if (s.saw(source_row(r), c)) best = std::max(best, reached(static_cast<double>(from[c]), c));
      return true;
    });
  }
  ValuePlace place{0, 0, best * sign + 0.0};  // no negative zero
  visit_rows([&](Index r, const auto* from) {
    for (Index c = 0; c < width; ++c) {
      if (!s.saw(source_row(r), c) || reached(static_cast<double>(from[c]), c) != best) continue;
      place.row = source_row(r);
      place.col = shifted(c);
      return false;
    }
    return true;
  });
  if (!label_at_) return place;
  // Of two classes or more, a row has a 1 for its own and a 0 for another.
  const double of_labels = sign > 0 || labels_->num_classes == 1 ? 1 : 0;
  if (sign * of_labels <= best) return place;
  Index row = 0;
  while (row < rows() && label(row) == labels_->num_classes) ++row;
  if (row == rows()) return place;
  const Index own = label(row), other = own == 0 ? 1 : 0;
  return {source_row(row), *label_at_ + (of_labels > 0 ? own : other), of_labels};
}

ValuePlace Dataset::min() const { return extreme(-1); }
ValuePlace Dataset::max() const { return extreme(1); }

std::optional<ValuePlace> Dataset::first_outside(const std::function<bool(double)>& allowed, Index begin,
                                                 Index end) const {
  const Storage& s = *storage_;
  // The first value that a number takes and `allowed` refuses.
  const auto refused = [&](double number, Index col) -> std::optional<double> {
    const auto check = [&](double v) { return allowed(v) ? std::nullopt : std::optional<double>(v); };
    if (s.binarize != Binarize::each_epoch) return check(s.value(number, col));
    const double p = s.probability(number);
    const std::optional<double> zero = p >= 1 ? std::nullopt : check(s.of_bit(0, col));
    return zero || p <= 0 ? zero : check(s.of_bit(1, col));
  };
  std::optional<ValuePlace> found;
  const auto search = [&](const auto& outside) {
    visit_rows([&](Index r, const auto* from) {
      for (Index c = 0; c < s.table.cols; ++c) {
        if (!s.saw(source_row(r), c) || !outside(from[c], c) || shifted(c) < begin || shifted(c) >= end) continue;
        found = ValuePlace{source_row(r), shifted(c), *refused(static_cast<double>(from[c]), c)};
        return false;
      }
      return true;
    });
  };
  if (s.tabled()) {
    std::array<bool, 256> outside{};
    bool any = false;
    for (int b = 0; b < 256; ++b) any |= outside[b] = s.present[b] && refused(b, 0);
    if (any) search([&](auto number, Index) { return outside[static_cast<std::uint8_t>(number)]; });
  } else {
    search([&](auto number, Index col) { return refused(static_cast<double>(number), col).has_value(); });
  }
  if (!label_at_) return found;
  for (Index r = 0; r < rows() && (!found || source_row(r) < found->row); ++r) {
    for (Index k = 0; label(r) < labels_->num_classes && k < labels_->num_classes; ++k) {
      const double v = label(r) == k ? 1 : 0;
      const bool asked = *label_at_ + k >= begin && *label_at_ + k < end;
      if (asked && !allowed(v)) return ValuePlace{source_row(r), *label_at_ + k, v};
    }
  }
  return found;
}

std::optional<ValuePlace> Dataset::first_outside(std::span<const double> allowed, Index begin, Index end) const {
  return first_outside([=](double v) { return std::find(allowed.begin(), allowed.end(), v) != allowed.end(); }, begin,
                       end);
}

std::vector<double> Dataset::column_means() const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  const Index width = s.table.cols;
  // The last of the classes is that of rows whose own was not seen.
  std::vector<double> means(width, 0.0), classes(label_at_ ? labels_->num_classes + 1 : 0, 0.0);
  const double total = total_weight();
  visit_rows([&](Index r, const auto* from) {
    const double share = weight(r) / total;
    const auto add = [&](const auto& value) {
      for (Index c = 0; c < width; ++c) means[c] += share * value(static_cast<double>(from[c]), c);
    };
    if (draws) add([&](double number, Index c) { return s.of_bit(s.probability(number), c); });
    else if (s.mean.empty()) add([&](double number, Index) { return s.value(number); });
    else add([&](double number, Index c) { return s.value(number, c); });
    if (label_at_) classes[label(r)] += share;
    return true;
  });
  if (has_missing()) means = means_of_seen();
  if (!label_at_) return means;
  const double unseen = classes.back();
  classes.pop_back();
  const double told = std::accumulate(classes.begin(), classes.end(), 0.0);
  if (unseen > 0)
    for (double& share : classes) share = told > 0 ? share / told : 1.0 / static_cast<double>(classes.size());
  means.insert(means.begin() + static_cast<std::ptrdiff_t>(*label_at_), classes.begin(), classes.end());
  return means;
}

std::vector<double> Dataset::means_of_seen() const {
  const Storage& s = *storage_;
  const bool draws = s.binarize == Binarize::each_epoch;
  const Index width = s.table.cols;
  std::vector<double> sum(width, 0.0), total(width, 0.0), filled(width, 0.0);
  visit_rows([&](Index r, const auto* from) {
    for (Index c = 0; c < width; ++c) {
      const auto number = static_cast<double>(from[c]);
      const double v = draws ? s.of_bit(s.probability(number), c) : s.value(number, c);
      if (s.saw(source_row(r), c)) {
        sum[c] += weight(r) * v;
        total[c] += weight(r);
      } else {
        filled[c] = v;
      }
    }
    return true;
  });
  const Vector<double> mean =
      xt::where(as_xtensor(std::span(total)) > 0, as_xtensor(std::span(sum)) / as_xtensor(std::span(total)),
                as_xtensor(std::span(filled)));
  return {mean.begin(), mean.end()};
}

}  // namespace v1
}  // namespace harmonium
