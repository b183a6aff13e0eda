#include <harmonium/framework/training/early_stopping.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void EarlyStopping::measured(std::uint64_t epoch, const MetricRecord& record) {
  const std::optional<double> value = value_of(record, figure_.name);
  if (!value) return;
  const double error = figure_.error.empty() ? 0.0 : value_of(record, figure_.error).value_or(0.0);
  if (epoch_ > 0 && !better(figure_.goal, *value, reference_, error)) {
    ++without_;
    return;
  }
  reference_ = *value;
  epoch_ = epoch;
  without_ = 0;
}

std::string EarlyStopping::message() const {
  return fmt::format("{} has not become better than {:.6g} of epoch {} in {} value{}", figure_.name, reference_, epoch_,
                     without_, without_ == 1 ? "" : "s");
}

void EarlyStopping::state(StateArchive& archive) {
  archive.field("reference", reference_);
  archive.field("epoch", epoch_);
  archive.field("without", without_);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
