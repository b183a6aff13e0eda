#include <harmonium/program/work/row_fields.hpp>

#include <algorithm>
#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The place of the likeliest among a field's numbers.
Index likeliest_of(const RowField& field, std::span<const double> means) {
  const auto own = means.subspan(field.place, field.width);
  return field.place + static_cast<Index>(std::ranges::max_element(own) - own.begin());
}

/// 1 - p of the likeliest.
double probability_of_others(const RowField& field, std::span<const double> means) {
  const double x = means[likeliest_of(field, means)];
  if (field.kind == ColumnKind::binary) return std::min(x, 1.0 - x);
  if (field.kind == ColumnKind::spin) return 0.5 * (1.0 - std::abs(x));
  double others = 0.0;
  for (Index k = field.place; k < field.place + field.width; ++k) others += means[k];
  return others - x;
}

}  // namespace

std::vector<double> spread_of_fields(std::span<const RowField> fields, std::span<const double> means,
                                     std::span<const double> deviations) {
  std::vector<double> found;
  for (const RowField& field : fields)
    found.push_back(field.of_words() ? std::max(0.0, probability_of_others(field, means)) : deviations[field.place]);
  return found;
}

std::vector<double> errors_of_fields(std::span<const RowField> fields, std::span<const double> means,
                                     std::span<const double> errors) {
  std::vector<double> found;
  for (const RowField& field : fields) {
    const double error = errors[likeliest_of(field, means)];
    found.push_back(field.kind == ColumnKind::spin ? 0.5 * error : error);  // p = (1 + |m|) / 2
  }
  return found;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
