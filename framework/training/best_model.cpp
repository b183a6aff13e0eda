#include <harmonium/framework/training/best_model.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

void BestModel::measured(std::uint64_t epoch, std::uint64_t update, std::span<const Real> theta, MetricRecord& record) {
  const std::optional<double> value = value_of(record, figure_.name);
  if (value && (epoch_ == 0 || better(figure_.goal, *value, value_))) {
    epoch_ = epoch;
    update_ = update;
    value_ = *value;
    theta_.assign(theta.begin(), theta.end());
  }
  if (epoch_ == 0) return;
  record.emplace_back("best.epoch", static_cast<double>(epoch_));
  record.emplace_back("best.value", value_);
}

void BestModel::state(StateArchive& archive) {
  archive.field("epoch", epoch_);
  archive.field("update", update_);
  archive.field("value", value_);
  archive.late_field("parameters", theta_, archive.sizes().parameters);
  if (archive.loading() && (epoch_ == 0) != theta_.empty())
    archive.refuse("epoch", "and the best parameters do not go together");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
