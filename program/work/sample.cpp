#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/ladder_gaps.hpp>
#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void write_samples(const std::filesystem::path& output, const std::vector<Real>& samples, Index columns) {
  const Index number = samples.size() / columns;
  const ConstMatrixRef rows{samples.data(), number, columns, columns};
  const std::string extension = output.extension().string();
  if (extension == ".npy") {
    write_npy(output, rows);
  } else if (extension == ".csv") {
    write_csv(output, rows);
  } else {
    Hdf5File h5 = Hdf5File::create(output);
    h5.write<Real>("samples", samples, {number, columns});
    h5.close();
  }
}

}  // namespace

std::string sample(const SampleRequest& request, const Registries& builtin) {
  const SamplingPlan plan(request, builtin);
  Sampling sampling(plan);
  sampling.draw();
  const Index columns = plan.columns();
  if (!request.raw) plan.units().undo({sampling.samples().data(), request.num_samples, columns, columns});
  write_samples(request.output, sampling.samples(), columns);

  const SamplerReport& moves = sampling.moves();
  if (request.display) {
    request.display->finish();
    if (moves.ladder) warn_of_gaps(*moves.ladder, *request.display);
    if (moves.ill_chosen())
      request.display->warn(fmt::format("{}: {}, and below {} chains move much more slowly than they could. {}",
                                        request.sampler, moves.summary(), moves.min_acceptance,
                                        proposal_remedy(plan.sampler_table(), "sampler", moves.acceptance)));
  }
  std::string text;
  if (moves.ladder) text += fmt::format("{}: {}\n", request.sampler, moves.ladder->summary());
  if (moves.proposed > 0) text += fmt::format("{}: {}\n", request.sampler, moves.summary());
  if (request.descend)
    text += fmt::format("energies after the descent: lowest {:.10g}, mean {:.10g}\n", sampling.lowest_energy(),
                        sampling.mean_energy());
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
