#include <harmonium/program/work/model_painter.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/sample_shape.hpp>
#include <harmonium/framework/inference/classification.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/standstill.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/framework/run/plugins.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/adapted_sampler.hpp>
#include <harmonium/program/work/betas.hpp>
#include <harmonium/program/work/clamp_rows.hpp>
#include <harmonium/program/work/clamp_words.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/data_argument.hpp>
#include <harmonium/program/work/data_remarks.hpp>
#include <harmonium/program/work/data_spec.hpp>
#include <harmonium/program/work/held_of_stack.hpp>
#include <harmonium/program/work/own_run.hpp>
#include <harmonium/program/work/told_classes.hpp>
#include <harmonium/program/work/usual_sampler.hpp>
#include <harmonium/program/work/verdict_warning.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr std::uint64_t usual_steps = 1000;

}  // namespace

PictureStyle style_of(const DrawRequest& request) {
  PictureStyle style;
  style.count = request.count;
  style.columns = request.columns;
  style.beta = request.beta;
  if (request.shape.empty()) return style;
  style.shape = parse_sample_shape(request.shape);
  if (!style.shape || style.shape->size() > 2)
    throw ConfigError(fmt::format(
        "--shape {}: this is no shape. Write HEIGHTxWIDTH, such as 28x28, or one number for lines.", request.shape));
  return style;
}

ModelPainter::ModelPainter(const DrawRequest& request, const std::string& path, const Registries& registries)
    : request_(request),
      header_(read_model_header(path)),
      registries_(with_plugins(registries, request, header_)),
      style_(style_of(request)),
      executor_(request.threads, request.stop),
      execution_{executor_, random_of(request, header_.config).child("draw")},
      path_(path) {}

void ModelPainter::prepare(std::vector<PictureKind>& wanted, Unoffered unoffered) {
  std::vector<std::string> sections;
  const auto any = [&](bool PictureKind::*takes) { return std::ranges::any_of(wanted, takes); };
  const bool rows = std::ranges::any_of(request_.clamp, [](const std::string& c) { return !file_of_clamp(c).empty(); });
  if (any(&PictureKind::data) || rows) sections.emplace_back("data");
  if (any(&PictureKind::chains)) sections.emplace_back("sampler");
  if (sections.empty() && !request_.set.empty())
    throw ConfigError(fmt::format("--set {}: filters have no options to set. Leave it out.", request_.set[0]));
  const Value options = command_options(request_.set, sections);
  model_ = load_model(path_, header_, registries_);
  if (!request_.clamp.empty()) refuse_held_of_stack(*model_, path_);
  check_laws_at_zero({request_.beta}, model_->layout(), "--beta", "Take a beta above 0.");
  if (any(&PictureKind::chains)) make_sampler(options);
  const std::shared_ptr<const Transform> transform = load_transform(path_);
  if (transform)
    style_.units =
        DataUnits(header_.config.find("data"), of_observed(transform, model_->layout(), path_), model_->layout())
            .name();
  if (any(&PictureKind::chains) && !request_.clamp.empty()) read_clamp(options, transform);
  if (any(&PictureKind::data)) load_data(options);
  style_.sample_shape = header_.sample_shape;
  if (data_ && data_->sample_shape().size() > 1)
    style_.sample_shape.assign(data_->sample_shape().begin(), data_->sample_shape().end());
  std::erase_if(wanted, [&](const PictureKind& kind) {
    try {
      check(kind);
    } catch (const CapabilityError&) {
      if (unoffered == Unoffered::refuse) throw;
      return true;
    }
    return false;
  });
}

void ModelPainter::make_sampler(const Value& options) {
  Value effective;
  const std::string name = sampler_name(request_.sampler, *model_);
  const std::uint64_t steps = request_.steps.value_or(usual_steps);
  sampler_ =
      sampler_adapting_before(steps, fmt::format("--steps {}", steps),
                              with_own_run(component_spec(options, "sampler", name), Sampler::kind, path_, registries_),
                              registries_, effective, request_.display);
  warn_of_verdict(path_, name, request_.beta, !request_.clamp.empty(), request_.display);
}

void ModelPainter::read_clamp(const Value& options, const std::shared_ptr<const Transform>& transform) {
  const Layout& layout = model_->layout();
  const DataUnits units(header_.config.find("data"), transform ? of_observed(transform, layout, path_) : nullptr,
                        layout);
  clamp_.emplace(clamp_in_units(request_.clamp, header_, layout), layout, &units,
                 clamp_rows({path_, header_, layout, registries_, options, random_of(request_, header_.config),
                             request_.display}));
  if (const std::string remark = clamp_->held_class_remark(); !remark.empty() && request_.display)
    request_.display->warn(remark);
  hold_ = PictureHold{[this](Chains& chains, Index rungs, Index block) { clamp_->write(chains, 0, rungs, block); },
                      [this](Index items, Index rungs) { return clamp_->mask(0, items, rungs); }, clamp_->states(),
                      fmt::format("{}", fmt::join(request_.clamp, ", "))};
}

Picture ModelPainter::draw(const PictureKind& kind) {
  const std::string_view name = kind.name;
  if (name == "data") return draw_data(*model_, *data_, style_);
  if (name == "filters") return draw_filters(*model_, tensor_, style_);
  if (name == "reconstructions") return draw_reconstructions(*model_, *data_, style_, executor_);
  const auto progress = [&](double done) {
    executor_.check_stop();
    if (request_.display) request_.display->progress(done, "sampling");
  };
  const Index steps = request_.steps.value_or(usual_steps);
  const Execution own = execution_.part(name);
  const PictureHold* hold = hold_ ? &*hold_ : nullptr;
  if (name == "samples") return draw_samples(*model_, *sampler_, steps, style_, own, progress, hold);
  return draw_chains(*model_, *sampler_, data_ ? &*data_ : nullptr, steps, style_, own, progress, hold);
}

void ModelPainter::load_data(const Value& options) {
  const DataArgument given = data_argument(request_.data, options, registries_);
  Value spec = data_spec(header_, model_->layout(), given.file, given.options, request_.display);
  const Value* own = header_.config.find("data");
  if (!spec.is_table() && own) spec = *own;
  if (!spec.is_table()) return;
  const Layout& layout = model_->layout();
  data_ = load_partial_rows(path_, spec, layout, registries_, random_of(request_, header_.config).child("data"));
  tell_of_states(*data_, layout, request_.display);
  if (data_->cols() == layout.columns(layout.observed())) return;
  if (!offers_classification(*model_, label_layer)) data_ = fitted(*data_, layout);  // which says what is lacking
  if (request_.display)
    request_.display->warn(fmt::format(
        "{}: the rows have no classes; each is drawn with the one that is the most probable given the rest of it.",
        data_->name()));
  data_ = with_told_classes(*model_, *data_, executor_);
}

void ModelPainter::check(const PictureKind& kind) {
  const std::string_view name = kind.name;
  if (kind.chains) {
    const HeldMask held = clamp_ ? clamp_->mask(0, 1, sampler_->rungs()) : HeldMask();
    Target target{*model_};
    target.beta = request_.beta;
    if (clamp_) target.held = &held;
    sampler_->check(target);
    const std::uint64_t steps = request_.steps.value_or(usual_steps);
    check_adapted(*sampler_, sampler_name(request_.sampler, *model_), steps, fmt::format("--steps {}", steps),
                  [](std::uint64_t least) { return fmt::format("--steps {}", least); });
  }
  if (kind.data && !kind.chains && !data_)
    throw CapabilityError(
        fmt::format("--what {}: {} does not say which data it was trained on. Give --data FILE.", name, path_));
  if (name == "reconstructions" && !offers_reconstruction(*model_))
    throw CapabilityError(
        "--what reconstructions: the model offers none: its latent units must be independent given the observed "
        "ones, "
        "and the reverse.");
  if (name == "filters") tensor_ = find_tensor();
}

Index ModelPainter::find_tensor() const {
  const ParameterLayout& layout = model_->parameter_layout();
  std::vector<std::string> known;
  for (const ParameterBlock& b : layout.blocks()) known.push_back(b.name);
  if (request_.tensor.empty()) {
    if (const std::optional<Index> tensor = filter_tensor(*model_)) return *tensor;
    throw CapabilityError(
        fmt::format("--what filters: the model has no couplings of an observed layer with a latent one. Choose a "
                    "tensor by --tensor: {}.",
                    fmt::join(known, ", ")));
  }
  const Index found = layout.find(request_.tensor);
  if (found < layout.blocks().size()) return found;
  throw ConfigError(fmt::format("--tensor {}: the model has no such tensor{}. Known: {}.", request_.tensor,
                                did_you_mean(request_.tensor, known), fmt::join(known, ", ")));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
