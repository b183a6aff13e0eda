#include <harmonium/framework/data/dataset.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/data/dataset_storage.hpp>
#include <harmonium/framework/data/row_shape.hpp>
#include <harmonium/framework/data/transform.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::uint32_t most_classes = 1u << 16;

}  // namespace

Index Dataset::rows() const { return rows_ ? rows_->size() : storage_->table.rows; }
double Dataset::bytes() const {
  if (storage_->table.mapped()) return 0.0;
  const std::size_t each = std::visit([](const auto& values) { return sizeof(values[0]); }, storage_->table.values) +
                           (storage_->seen.empty() ? 0 : 1);
  return static_cast<double>(rows()) * static_cast<double>(storage_->table.cols) * static_cast<double>(each);
}
Index Dataset::cols() const { return storage_->table.cols + (label_at_ ? labels_->num_classes : 0); }
const std::string& Dataset::name() const { return storage_->name; }
const std::vector<DataFile>& Dataset::files() const { return files_; }
std::span<const Index> Dataset::sample_shape() const { return storage_->sample_shape; }
Index Dataset::source_row(Index row) const { return rows_ ? (*rows_)[row] : row; }
Binarize Dataset::binarize() const { return storage_->binarize; }
ValueRange Dataset::range() const { return storage_->range; }

bool Dataset::has_missing() const {
  return !storage_->seen.empty() || (label_at_ && labels_->classes.size() > storage_->table.rows);
}

void Dataset::seen(std::span<const Index> rows, MatrixView<std::uint8_t> out) const {
  const Storage& s = *storage_;
  for (Index r = 0; r < rows.size(); ++r) {
    std::fill_n(out.row(r), out.cols, std::uint8_t{1});
    for (Index c = 0; c < s.table.cols; ++c) out(r, shifted(c)) = s.saw(source_row(rows[r]), c) ? 1 : 0;
    if (label_at_ && label(rows[r]) == num_classes())
      std::fill_n(out.row(r) + *label_at_, num_classes(), std::uint8_t{0});
  }
}

bool Dataset::is_bytes() const {
  if (storage_->binarize != Binarize::none) return storage_->mean.empty();
  return storage_->tabled() && storage_->scale == 1;
}

bool Dataset::is_binary() const {
  if (storage_->binarize != Binarize::none && storage_->mean.empty()) return true;
  const double bits[] = {0, 1};
  return !first_outside(bits);
}

namespace {

/// Whether each column of bits is left as it is or becomes -1 and 1.
bool maps_bits(const Transform& transform) {
  if (transform.kind() != Transform::Kind::standardize) return false;
  for (Index c = 0; c < transform.cols(); ++c) {
    const double mean = transform.mean()[c], scale = transform.scale()[c];
    if (!(mean == 0.0 && scale == 1.0) && !(mean == 0.5 && scale == 0.5)) return false;
  }
  return true;
}

}  // namespace

Dataset Dataset::with_transform(std::shared_ptr<const Transform> transform) const {
  const Storage& s = *storage_;
  if (label_at_) throw std::logic_error(s.name + ": labels take no part in a transform");
  if (transform->cols() != cols())
    throw ConfigError(fmt::format("[data] {} has {} columns, but the transform was fitted to {}. {}", s.name, cols(),
                                  transform->cols(),
                                  remedy_of_shape(*this, transform->cols(), "Take data of that kind.")));
  if (s.binarize != Binarize::none && !maps_bits(*transform))
    throw ConfigError(
        fmt::format("[data] {}: bits are neither standardized nor whitened. Leave data.binarize out.", s.name));
  if (has_missing() && transform->kind() != Transform::Kind::standardize)
    throw ConfigError(
        fmt::format("[data] {}: whitening mixes the columns of a row, and entries are missing. Set data.standardize in "
                    "its place.",
                    s.name));
  Dataset made = *this;
  auto storage = std::make_shared<Storage>(s);
  if (transform->kind() == Transform::Kind::standardize) {
    storage->mean = transform->mean();
    storage->deviation = transform->scale();
  } else {
    // The rows of every part, once, in the precision of the file.
    Dataset whole = *this;
    whole.rows_.reset();
    const auto fill = [&]<class T>(T) {
      constexpr Index piece = 512;
      std::vector<T> values(s.table.rows * s.table.cols);
      std::vector<double> rows(piece * s.table.cols);
      for (Index first = 0; first < s.table.rows; first += piece) {
        const Index count = std::min(piece, s.table.rows - first);
        const MatrixView<double> view{rows.data(), count, s.table.cols, s.table.cols};
        whole.fetch(first, 0, view);
        transform->apply(view);
        std::transform(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count * s.table.cols),
                       values.begin() + static_cast<std::ptrdiff_t>(first * s.table.cols),
                       [](double v) { return static_cast<T>(v); });
      }
      storage->table.values = std::move(values);
    };
    if (std::holds_alternative<NumberArray<double>>(s.table.values)) fill(double{});
    else fill(float{});
    storage->scale = 1;
  }
  made.storage_ = std::move(storage);
  made.transform_ = std::move(transform);
  return made;
}

Dataset Dataset::with_labels(const std::vector<double>& labels, const std::string& name,
                             std::optional<Index> num_classes, std::vector<DataFile> files,
                             std::vector<std::string> words) const {
  const Index rows = storage_->table.rows;
  if (labels.size() != rows) {
    throw DataError(fmt::format("{}: holds {} labels (one for each of the {} rows of {} expected)", name, labels.size(),
                                rows, storage_->name));
  }
  auto own = std::make_shared<Labels>();
  own->classes.reserve(rows);
  constexpr auto unseen = ~std::uint32_t{0};
  std::uint32_t max = 0;
  bool any = false;
  for (Index r = 0; r < rows; ++r) {
    const double v = labels[r];
    if (std::isnan(v) && storage_->may_miss) {
      own->classes.push_back(unseen);
      continue;
    }
    any = true;
    if (!(v >= 0) || v != std::floor(v) || v >= most_classes) {
      throw DataError(fmt::format("{}: row {} (counted from 0) is {} (a class, an integer from 0 to {}, expected)",
                                  name, r, v, most_classes - 1));
    }
    own->classes.push_back(static_cast<std::uint32_t>(v));
    max = std::max(max, own->classes.back());
    if (num_classes && max >= *num_classes) {
      throw DataError(
          fmt::format("{}: row {} (counted from 0) is {}, but there are {} classes, counted from 0. Set "
                      "data.num_classes.",
                      name, r, v, *num_classes));
    }
  }
  if (!any && !num_classes && words.empty())
    throw DataError(fmt::format("{}: no row has a class. Leave them out, or set data.num_classes.", name));
  own->num_classes = num_classes.value_or(std::max<Index>(Index{max} + 1, words.size()));
  if (std::ranges::find(own->classes, unseen) != own->classes.end()) {
    std::ranges::replace(own->classes, unseen, static_cast<std::uint32_t>(own->num_classes));
    own->classes.push_back(0);  // says that there are such rows
  }
  own->words = std::move(words);
  Dataset labeled = *this;
  labeled.labels_ = std::move(own);
  labeled.files_.insert(labeled.files_.end(), files.begin(), files.end());
  return labeled;
}

Table Dataset::labels() const {
  const Index classes = labels_->num_classes;
  std::vector<std::uint8_t> bits(rows() * classes);
  for (Index r = 0; r < rows(); ++r)
    if (label(r) < classes) bits[r * classes + label(r)] = 1;
  return {rows(), classes, std::move(bits), {rows(), classes}};
}

Dataset Dataset::with_label_columns(Index at) const {
  if (!labels_ || label_at_ || at > cols()) throw std::logic_error(name() + ": no labels to make columns of");
  Dataset joined = *this;
  joined.label_at_ = at;
  return joined;
}

bool Dataset::weighted() const { return weights_ != nullptr; }

double Dataset::weight(Index row) const { return weights_ ? (*weights_)[source_row(row)] : 1.0; }

std::vector<double> Dataset::weights() const {
  std::vector<double> values;
  for (Index r = 0; weights_ && r < rows(); ++r) values.push_back(weight(r));
  return values;
}

Dataset Dataset::with_weights(std::vector<double> weights, const std::string& name, std::vector<DataFile> files) const {
  if (weights.size() != storage_->table.rows) {
    throw DataError(fmt::format("{}: holds {} weights (one for each of the {} rows of {} expected)", name,
                                weights.size(), storage_->table.rows, storage_->name));
  }
  const auto wrong = std::ranges::find_if_not(weights, [](double w) { return std::isfinite(w) && w >= 0; });
  if (wrong != weights.end())
    throw DataError(fmt::format("{}: row {} (counted from 0) is {} (a finite weight of at least 0 expected)", name,
                                wrong - weights.begin(), *wrong));
  Dataset weighted = *this;
  weighted.weights_ = std::make_shared<const std::vector<double>>(std::move(weights));
  weighted.files_.insert(weighted.files_.end(), files.begin(), files.end());
  weighted.check_weights(name);
  return weighted;
}

double Dataset::total_weight() const {
  double total = 0;
  for (Index r = 0; r < rows(); ++r) total += weight(r);
  return total;
}

void Dataset::check_weights(const std::string& name) const {
  const double total = total_weight();
  if (!(total > 0)) throw DataError(fmt::format("{}: every weight is 0 (one above 0 expected)", name));
  if (!std::isfinite(total)) throw DataError(fmt::format("{}: the weights add up to more than a number holds", name));
}

Dataset Dataset::part(std::vector<Index> rows) const {
  if (rows.empty()) throw std::logic_error(name() + ": a part without rows");
  for (Index& row : rows) {
    if (row >= this->rows()) throw std::out_of_range(fmt::format("{}: row {} of {}", name(), row, this->rows()));
    row = source_row(row);
  }
  Dataset part = *this;
  part.rows_ = std::make_shared<const std::vector<Index>>(std::move(rows));
  part.check_weights(fmt::format("{}, a part of {} rows", name(), part.rows()));
  return part;
}

}  // namespace v1
}  // namespace harmonium
