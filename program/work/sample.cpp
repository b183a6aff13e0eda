#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/files/csv.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/framework/inference/finite_chains.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/run/start_chains.hpp>
#include <harmonium/framework/training/batches.hpp>
#include <harmonium/program/work/clamp.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/program/work/data_units.hpp>
#include <harmonium/program/work/standstill.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index chains_at_a_time = 8192;  // chains at a time, so that memory does not grow with their latent units

/// Where a ladder does not connect, and what to do about it.
void warn_of_gaps(const LadderReport& ladder, Display& display) {
  constexpr double low = 0.05;
  for (Index k = 0; k < ladder.proposed.size(); ++k)
    if (ladder.proposed[k] > 0 && ladder.rate(k) < low)
      display.warn(
          fmt::format("only {:.2g} of the exchanges between beta = {:.4g} and {:.4g} were accepted, so that the ladder "
                      "does not connect them. Add rungs between.",
                      ladder.rate(k), ladder.betas[k], ladder.betas[k + 1]));
}

}  // namespace

std::string sample(const SampleRequest& request, const Registries& builtin) {
  const ModelHeader header = read_model_header(request.model);
  const Registries registries = with_plugins(builtin, request, header);
  const Value options = command_options(request.set, {"sampler", "data"});
  const std::filesystem::path output = request.output;
  const std::string extension = output.extension().string();
  if (extension != ".npy" && extension != ".h5" && extension != ".csv")
    throw ConfigError(fmt::format("--output {}: samples are written as .npy, .h5 or .csv. Give a name that ends so.",
                                  request.output));
  check_output(request.output, {request.model});
  Value effective;
  const std::unique_ptr<Sampler> sampler =
      registries.make<Sampler>(component_spec(options, "sampler", request.sampler), effective);
  const std::unique_ptr<EnergyModel> model = load_model(request.model, header, registries);
  std::shared_ptr<const Transform> transform = load_transform(request.model);
  if (transform) transform = of_observed(transform, model->layout(), request.model);
  const DataUnits units(header.config.find("data"), transform, model->layout());
  const RandomSource random = random_of(request, header.config);
  bool from_file = false;
  const Clamp clamp(request.clamp, model->layout(), &units, [&](const std::string& file) {
    from_file = true;
    // Read as the model's data were, but with holes, and labels only where they are columns like the others.
    Value config = header.config;
    if (Value* own = config.find("data"))
      for (const char* key : {"missing", "label_column", "label_dataset", "num_classes"}) own->erase(key);
    Value spec = data_spec(config, file, options);
    const Value& type = *spec.find("type");
    if (!(type == make_value(std::string("fasta"))) && !spec.find("missing"))
      spec.set("missing", make_value(std::string("nan_columns")));
    return load_partial_rows(request.model, spec, model->layout(), registries, random.child("data"));
  });
  if (options.find("data") && !from_file)
    throw ConfigError(
        fmt::format("{}: no file is read. Name one by --clamp, or leave data out.", options.find("data")->where));
  if (from_file && request.thin > 0)
    throw ConfigError(
        "--thin: a file by --clamp gives each sample a row of its own, and --thin one chain to all of them. "
        "Leave one out.");
  HeldMask held = clamp.mask(0, 1, sampler->rungs());
  Target target{*model};
  target.beta = request.beta;
  if (!clamp.empty()) target.held = &held;
  sampler->check(target);
  if (request.descend && !clamp.empty())
    throw ConfigError("--descend: it moves every unit, and --clamp holds some. Leave one out.");
  if (request.descend) check_descent(*model);
  if (const Index adapting = sampler->adaptation_steps(); request.gibbs_steps <= adapting && adapting > 0)
    throw ConfigError(fmt::format(
        "--gibbs-steps {}: sampler '{}' adapts itself during its first {} transitions, and rows taken before "
        "follow no fixed law. Make more of them, or adapt for fewer (sampler.adapt_steps).",
        request.gibbs_steps, request.sampler, adapting));
  const Index rungs = sampler->rungs();

  const Executor executor(request.threads, request.stop);
  const Execution execution{executor, random.child("sample")};
  const Layout& layout = model->layout();
  const Index columns = layout.columns(layout.observed());
  const auto wanted = static_cast<double>(request.num_samples);
  {
    MemoryNeed need;
    need.add("the parameters", static_cast<double>(model->parameter_layout().size()) * sizeof(Real), "");
    need.add("the samples", wanted * static_cast<double>(columns) * sizeof(Real),
             "--num-samples, and draw again with another --seed");
    const Index copies = rungs > 1 || request.descend ? rungs + 1 : 1;
    const double chains = request.thin > 0 ? 1.0 : std::min(wanted, static_cast<double>(chains_at_a_time));
    need.add("the chains",
             chains * static_cast<double>(copies) * static_cast<double>(layout.columns(layout.all())) * sizeof(Real),
             "--num-samples, and draw again with another --seed");
    if (!clamp.empty())
      need.add("what is held", chains * static_cast<double>(rungs) * static_cast<double>(layout.columns(layout.all())),
               "--num-samples, and draw again with another --seed");
    sampler->memory(*model, need);
    need.check("sampling");
  }
  std::vector<Real> samples(request.num_samples * columns);

  // Rows at the target's temperature are copied out of a ladder, and where they are to be changed.
  const bool apart = rungs > 1 || request.descend;
  SamplerReport moves;
  Standstill standstill(layout);
  double lowest = std::numeric_limits<double>::infinity(), total = 0.0;
  const auto keep = [&](const Chains& moved, Index first) {
    Chains own(layout, apart ? moved.size() / rungs : 0);
    for (Index r = 0, row = 0; apart && r < moved.size(); ++r) {
      if (moved.rung()[r] != 0) continue;
      for (const LayerId l : layout.ids()) {
        const ConstMatrixRef x = moved.read(l);
        std::copy(x.row(r), x.row(r) + x.cols, own.write(l).row(row));
      }
      ++row;
    }
    if (request.descend) {
      descend(*model, own, executor);
      std::vector<double> energy(own.size());
      model->energy(own, energy);
      for (const double e : energy) {
        lowest = std::min(lowest, e);
        total += e;
      }
    }
    const Chains& chains = apart ? own : moved;
    Index row = first;
    for (Index r = 0; r < chains.size(); ++r) {
      Real* out = samples.data() + row++ * columns;
      for (const LayerId l : layout.ids()) {
        if (layout[l].role != Role::observed) continue;
        const ConstMatrixRef x = chains.read(l);
        out = std::copy(x.row(r), x.row(r) + x.cols, out);
      }
    }
  };
  const auto make_chains = [&](Index count, Index first) {
    Chains chains(layout, count * rungs, static_cast<std::uint32_t>(first * rungs));
    for (Index r = 0; r < chains.size(); ++r) chains.rung()[r] = static_cast<std::uint32_t>(r % rungs);
    start_from_biases(*model, request.beta, execution.random.child("start"), chains);
    clamp.write(chains, first, rungs);
    if (!clamp.empty()) held = clamp.mask(first, count, rungs);
    standstill.started(chains, target.held);
    return chains;
  };
  const Execution moving = execution.part("sampler");
  // Long work is done in strides, between which progress is shown and a signal is heard.
  const auto advance = [&](Chains& chains, std::uint64_t steps, double done, double share) {
    for (std::uint64_t s = 0; s < steps;) {
      const std::uint64_t stride = std::min<std::uint64_t>(steps - s, 64);
      const SamplerReport report = sampler->advance(target, chains, stride, moving);
      check_finite(chains, layout);
      moves.add(report);
      s += stride;
      executor.check_stop();
      if (request.display)
        request.display->progress(done + share * static_cast<double>(s) / static_cast<double>(steps), "sampling");
    }
  };

  if (request.thin > 0) {
    Chains chains = make_chains(1, 0);
    advance(chains, request.gibbs_steps, 0.0, 0.0);
    for (Index i = 0; i < request.num_samples; ++i) {
      if (i > 0) advance(chains, request.thin, static_cast<double>(i) / wanted, 1.0 / wanted);
      keep(chains, i);
    }
    standstill.ended(chains, request.gibbs_steps + (request.num_samples - 1) * request.thin);
  } else {
    for (Index first = 0; first < request.num_samples; first += chains_at_a_time) {
      const Index count = std::min<Index>(chains_at_a_time, request.num_samples - first);
      Chains chains = make_chains(count, first);
      advance(chains, request.gibbs_steps, static_cast<double>(first) / wanted, static_cast<double>(count) / wanted);
      standstill.ended(chains, request.gibbs_steps);
      keep(chains, first);
    }
  }
  const std::string complaint = standstill.complaint(moves);
  if (!complaint.empty())
    throw NumericalError(fmt::format("sampler '{}': {}. Rows of the start are no samples, and nothing is written. {}",
                                     request.sampler, complaint,
                                     proposal_remedy(effective, "sampler", moves.acceptance)));

  if (!request.raw) units.undo({samples.data(), request.num_samples, columns, columns});
  const ConstMatrixRef rows{samples.data(), request.num_samples, columns, columns};
  if (extension == ".npy") {
    write_npy(output, rows);
  } else if (extension == ".csv") {
    write_csv(output, rows);
  } else {
    Hdf5File h5 = Hdf5File::create(output);
    h5.write<Real>("samples", samples, {request.num_samples, columns});
    h5.close();
  }
  if (request.display) {
    request.display->finish();
    if (moves.ladder) warn_of_gaps(*moves.ladder, *request.display);
    if (moves.ill_chosen())
      request.display->warn(fmt::format("{}: {}, and below {} chains move much more slowly than they could. {}",
                                        request.sampler, moves.words(), moves.least_acceptance,
                                        proposal_remedy(effective, "sampler", moves.acceptance)));
  }
  std::string text;
  if (moves.ladder) text += fmt::format("{}: {}\n", request.sampler, moves.ladder->words());
  if (moves.proposed > 0) text += fmt::format("{}: {}\n", request.sampler, moves.words());
  if (request.descend)
    text += fmt::format("energies after the descent: lowest {:.10g}, mean {:.10g}\n", lowest, total / wanted);
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
