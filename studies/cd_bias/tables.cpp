#include <harmonium/studies/cd_bias/tables.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

std::string run_columns(const CdBiasCell& cell) { return fmt::format("{},{},{}", cell.data_set, cell.size, cell.seed); }

std::string rows_of_steps(const CdBiasCell& cell, const CdBiasRecord& record) {
  std::string text;
  for (Index k = 1; k <= record.steps.size(); ++k) {
    const BiasStatistics& b = record.steps[k - 1];
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", run_columns(cell), k, record.updates, record.alpha,
                        record.beta, b.delta, b.r_median, b.r_ratio_of_means, b.s, b.cosine);
  }
  return text;
}

constexpr const char* step_header = "data_set,d,seed,k,updates,alpha,beta,delta,r_median,r_ratio_of_means,s,cosine\n";

}  // namespace

std::string cd_bias_csv(const std::vector<CdBiasRun>& runs) {
  std::string text = step_header;
  for (const CdBiasRun& run : runs) text += rows_of_steps(run.cell, run.criterion);
  return text;
}

std::string fixed_updates_csv(const std::vector<CdBiasRun>& runs) {
  std::string text = step_header;
  for (const CdBiasRun& run : runs)
    if (run.fixed) text += rows_of_steps(run.cell, *run.fixed);
  return text;
}

std::string trace_csv(const std::vector<CdBiasRun>& runs) {
  std::string text = "data_set,d,seed,updates,log_likelihood,alpha,beta,delta,r_median,r_ratio_of_means,s,cosine\n";
  for (const CdBiasRun& run : runs)
    for (const CdBiasRecord& record : run.trace) {
      const BiasStatistics& b = record.steps.at(0);
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{}\n", run_columns(run.cell), record.updates, record.log_likelihood,
                      record.alpha, record.beta, b.delta, b.r_median, b.r_ratio_of_means, b.s, b.cosine);
    }
  return text;
}

std::string runs_csv(const std::vector<CdBiasRun>& runs) {
  std::string text =
      "data_set,d,seed,updates,log_likelihood,alpha,beta,second_eigenvalue,bound_over_states,r_1_clipped_mean,"
      "r_last_clipped_mean\n";
  for (const CdBiasRun& run : runs) {
    const CdBiasRecord& c = run.criterion;
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", run_columns(run.cell), c.updates, c.log_likelihood, c.alpha, c.beta,
                    run.second_eigenvalue, run.bound, c.steps.front().r_clipped_mean, c.steps.back().r_clipped_mean);
  }
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
