#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/drift_words.hpp>
#include <harmonium/program/work/ladder_warnings.hpp>
#include <harmonium/program/work/sample_file.hpp>
#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string sample(const SampleRequest& given, const Registries& builtin) {
  const SamplingPlan plan(given, builtin);
  const SampleRequest& request = plan.request();
  Sampling sampling(plan);
  sampling.draw();
  const Index columns = plan.columns();
  if (!request.raw) {
    const MatrixRef samples{sampling.samples().data(), request.num_samples, columns, columns};
    plan.units().undo(samples);
    plan.clamp().write_as_given(samples, plan.units());
  }
  write_samples(plan, sampling);

  const SamplerReport& moves = sampling.moves();
  if (request.display) {
    request.display->finish();
    if (moves.ladder) {
      warn_of_gaps(*moves.ladder, *request.display);
      warn_of_few_round_trips(*moves.ladder, request.thin ? 1 : request.num_samples, *request.display);
    }
    if (moves.ill_chosen())
      request.display->warn(fmt::format("{}: {}, and below {} chains move much more slowly than they could. {}",
                                        request.sampler, moves.summary(), moves.min_acceptance,
                                        proposal_remedy(plan.sampler_table(), "sampler", moves.acceptance)));
  }
  if (const std::string doubt = sampling.classes().doubt(); !doubt.empty() && request.display)
    request.display->warn(doubt);
  const auto name_of = [&](Index column) {
    std::vector<std::string> names = sample_names(plan);
    const Layout& layout = plan.model().layout();
    return names.empty() ? names_of_units(layout, layout.observed()).at(column) : names.at(column);
  };
  if (const auto words = drift_words(sampling.drift(), sampling.column_drift(), request, name_of);
      words && request.display)
    request.display->warn(*words);
  std::string text;
  if (moves.ladder) text += fmt::format("{}: {}\n", request.sampler, moves.ladder->summary());
  if (moves.proposed > 0) text += fmt::format("{}: {}\n", request.sampler, moves.summary());
  if (const std::string words = sampling.classes().words(); !words.empty()) text += words + "\n";
  if (request.descend)
    text += fmt::format("energies after the descent: lowest {:.10g}, mean {:.10g}\n", sampling.lowest_energy(),
                        sampling.mean_energy());
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
