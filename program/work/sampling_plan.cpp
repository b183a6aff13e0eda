#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/inference/descent.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/program/work/adapted_sampler.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/clamp_rows.hpp>
#include <harmonium/program/work/clamp_words.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/fasta_samples.hpp>
#include <harmonium/program/work/held_of_stack.hpp>
#include <harmonium/program/work/own_run.hpp>
#include <harmonium/program/work/sample_file.hpp>
#include <harmonium/program/work/sampling.hpp>
#include <harmonium/program/work/unit_states.hpp>
#include <harmonium/program/work/usual_sampler.hpp>
#include <harmonium/program/work/verdict_warning.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

bool is_picture(const std::string& extension) {
  return extension == ".png" || extension == ".svg" || extension == ".jpg" || extension == ".pdf";
}

}  // namespace

SamplingPlan::SamplingPlan(const SampleRequest& request, const Registries& builtin)
    : request_(request), header_(read_model_header(request.model)), random_(random_of(request, header_.config)) {
  const Registries registries = with_plugins(builtin, request, header_);
  const Value options = command_options(request.set, {"sampler", "data"});
  const std::string extension = std::filesystem::path(request.output).extension().string();
  if (extension != ".npy" && extension != ".h5" && extension != ".csv" && !is_fasta(request.output))
    throw ConfigError(fmt::format(
        "--output {}: samples are written as .npy, .h5 or .csv, sequences as .fasta too. Give a name that "
        "ends so.{}",
        request.output, is_picture(extension) ? " 'harmonium draw --what samples' makes a picture of them." : ""));
  std::vector<std::string> inputs{request.model};
  for (const auto* texts : {&request.clamp, &request.start})
    for (const std::string& text : *texts) inputs.push_back(file_of_clamp(text));
  check_output(request.output, inputs);
  inputs.push_back(request.output);
  if (const std::string beside = energies_path(request); !beside.empty()) check_output(beside, inputs, "--energies");
  model_ = load_model(request.model, header_, registries);
  if (!request.clamp.empty()) refuse_held_of_stack(*model_, request.model);
  check_laws_at_zero({request.beta}, model_->layout(), "--beta", "Take a beta above 0.");
  request_.sampler = sampler_name(request.sampler, *model_);
  sampler_ = sampler_adapting_before(
      request.steps, fmt::format("--steps {}", request.steps),
      with_own_run(component_spec(options, "sampler", request_.sampler), Sampler::kind, request.model, registries),
      registries, effective_, request.display);
  units_ = data_units_of(request.model, header_, model_->layout());
  const Layout& layout = model_->layout();
  if (request.states) check_states(header_, layout, layout.observed(), request.output, "--output");
  if (is_fasta(request.output)) letters_of(header_, layout, request.output, "--output");
  read_clamp(registries, options);
  check_options();
  check_memory();
  if (const std::string remark = clamp_->unequal_rows_remark(request_.num_samples); !remark.empty() && request.display)
    request.display->warn(remark);
  warn_of_verdict(request.model, request_.sampler, request.beta, !clamp_->empty(), request.display);
}

void SamplingPlan::read_clamp(const Registries& registries, const Value& options) {
  const Layout& layout = model_->layout();
  const ClampSetting setting{request_.model, header_, layout, registries, options, random_, request_.display};
  clamp_.emplace(clamp_in_units(request_.clamp, header_, layout), layout, &*units_, clamp_rows(setting));
  settle_num_samples();
  if (!request_.start.empty())
    start_.emplace(request_.start, header_, layout, *units_, clamp_rows(setting),
                   request_.thin > 0 ? 1 : request_.num_samples);
  if (const std::string remark = clamp_->held_class_remark(); !remark.empty() && request_.display)
    request_.display->warn(remark);
  if (options.find("data") && !clamp_->has_rows() && !(start_ && start_->has_rows()))
    throw ConfigError(
        fmt::format("{}: no file is read. Name one by --clamp, or leave data out.", options.find("data")->where));
  if (clamp_->states() > 0 && request_.thin > 0)
    throw ConfigError(
        "--thin: --clamp LAYER=each gives each sample a state of its own, and --thin one chain to all of them. Leave "
        "one "
        "out.");
  if (clamp_->has_rows() && request_.thin > 0)
    throw ConfigError(
        "--thin: a file by --clamp gives each sample a row of its own, and --thin one chain to all of them. "
        "Leave one out.");
}

/// A row of a file by --clamp is one to complete, so that without a number there is one draw of each.
void SamplingPlan::settle_num_samples() {
  if (request_.num_samples > 0) return;
  if (!clamp_->has_rows())
    throw ConfigError(
        "--num-samples is missing: it goes by the rows of a file alone, and --clamp names none. Say how many rows to "
        "draw.");
  request_.num_samples = clamp_->period();
}

void SamplingPlan::check_options() const {
  Target target{*model_};
  target.beta = request_.beta;
  check_held(*sampler_, target, *clamp_, request_.thin > 0 ? 1 : request_.num_samples);
  if (start_) start_->check(*sampler_, target);
  if (request_.descend) check_descent(*model_);
  check_adapted(*sampler_, request_.sampler, request_.steps, fmt::format("--steps {}", request_.steps),
                [](std::uint64_t least) { return fmt::format("--steps {}", least); });
}

void SamplingPlan::check_memory() const {
  const Layout& layout = model_->layout();
  const Index rungs = sampler_->rungs();
  const auto wanted = static_cast<double>(request_.num_samples);
  const auto all_columns = static_cast<double>(layout.columns(layout.all()));
  constexpr const char* remedy = "--num-samples, and draw again with another --seed";
  MemoryNeed need;
  need.add("the parameters", static_cast<double>(model_->parameter_layout().size()) * sizeof(Real), "");
  if (request_.energies) need.add("the energies", wanted * sizeof(double), remedy);
  need.add("the samples", wanted * static_cast<double>(columns()) * sizeof(Real), remedy);
  const Index copies = rungs > 1 || request_.descend ? rungs + 1 : 1;
  const double chains = request_.thin > 0 ? 1.0 : std::min(wanted, static_cast<double>(chains_at_a_time));
  need.add("the chains", chains * static_cast<double>(copies) * all_columns * sizeof(Real), remedy);
  need.add("the rows at half of the steps", 2.0 * chains * static_cast<double>(columns()) * sizeof(Real), remedy);
  const Index masks = rungs + (request_.descend ? 1 : 0);
  if (!clamp_->empty()) need.add("what is held", chains * static_cast<double>(masks) * all_columns, remedy);
  sampler_->memory(*model_, need);
  need.check("sampling");
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
