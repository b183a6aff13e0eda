#pragma once

#include <memory>

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/inference/ladder_record.hpp>
#include <harmonium/framework/inference/log_partition.hpp>
#include <harmonium/framework/inference/sampler.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

struct LadderLogPartitionOptions {
  Index num_ladders = 10;
  double effort = 1.0;
  std::unique_ptr<Sampler> sampler;

  void bind(OptionBinder& o);
};

/// log Z from the draws of tempering ladders between the model and the law that every state is alike in, by one of the rules
/// of LadderRecord. The error is the jackknife's over ladders, which are independent of each other (Efron & Stein 1981).
///
/// It is agreed on if rows made enough round trips and the draws of neighbors overlap.
class LadderLogPartition final : public LogPartition {
 public:
  using Options = LadderLogPartitionOptions;
  struct Rule {
    const char* name;
    const char* words;
    double (*ratio)(const LadderRecord&);
    bool discretized;  ///< it has an error of its own between rungs, which every other rung tells of
  };
  LadderLogPartition(Rule rule, Options options);
  /// log(Z at the first rung / Z at the last) by a rule, with the interval of the jackknife; agreed on where neighbors overlap.
  static LogPartitionEstimate judged(const Rule& rule, const LadderRecord& record, const Execution& execution);

  void check(const EnergyModel& model) const override;
  LogPartitionEstimate estimate(const EnergyModel& model, double beta, const Execution& execution) const override;
  double operations(const EnergyModel& model) const override;
  void memory(const EnergyModel& model, MemoryNeed& need) const override;

 private:
  Rule rule_;
  Options options_;
};

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
