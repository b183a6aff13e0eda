#include <algorithm>

#include <fmt/format.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* gradient_more =
    "Prints figures for each tensor: the norm of the mean estimate; the variance of one estimate, summed over the\n"
    "entries; and against another estimator the norm of the mean's bias, what noise alone makes of that\n"
    "(sqrt(variance/repeats)), the cosine and the share of entries with another sign. Each repeat is an estimator of\n"
    "its own, from its start; with --warm-up chains that persist have gone on for N estimates. Of a run's folder\n"
    "without --data the rows are those that it was trained on.";

/// What one repeat of an estimate of the gradient is.
std::string words_of_repeat(const GradientRequest& request) {
  return request.warm_up == 0 ? "an estimator of its own, its chains from their start"
                              : fmt::format("an estimator of its own, after {} that do not count", request.warm_up);
}

/// Why cells of the table of a gradient are empty.
std::string reasons_of(const GradientFigures& figures, const GradientRequest& request) {
  std::vector<std::pair<std::string, std::string>> reasons;
  if (request.repeats < 2)
    for (const char* name : {"variance", "noise in bias"})
      if (name == std::string("variance") || !request.against.empty())
        reasons.emplace_back(name, "one estimate has none. Add --repeats N, with two or more.");
  if (request.against.empty()) {
    for (const char* name : {"bias", "noise in bias", "against norm", "cosine", "signs off"})
      reasons.emplace_back(name, "there is nothing to compare with. Add --against exact.");
  } else if (std::ranges::any_of(figures.tensors, [](const GradientComparison& g) { return !g.cosine; })) {
    reasons.emplace_back("cosine", "where one of the two gradients is 0 it has no direction.");
  }
  return reasons_text(reasons);
}

std::string gradient_text(const GradientFigures& figures, const GradientRequest& request) {
  const auto phase = [](const std::optional<PhaseUsed>& used) {
    return used ? fmt::format("{} ({})", used->method, used->exact ? "exact" : "not exact") : std::string("none");
  };
  std::string text =
      figures.own_rows ? fmt::format("data:           the run's own, its {} training rows\n", *figures.own_rows) : "";
  text += fmt::format("positive phase: {}\nnegative phase: {}\neach repeat:    {}\n\n", phase(figures.positive),
                      phase(figures.negative), words_of_repeat(request));
  text += fmt::format("{:<28}{:>14}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}\n", "tensor", "norm", "variance", "bias",
                      "noise in bias", "against norm", "cosine", "signs off");
  const auto cell = [](const std::optional<double>& v) { return v ? fmt::format("{:.5g}", *v) : std::string("-"); };
  for (const GradientComparison& g : figures.tensors)
    text += fmt::format("{:<28}{:>14}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}\n", g.name, cell(g.norm), cell(g.variance),
                        cell(g.bias), cell(g.noise), cell(g.against_norm), cell(g.cosine), cell(g.sign_disagreement));
  return text + reasons_of(figures, request);
}

std::string gradient_json(const GradientFigures& figures, const GradientRequest& request) {
  const auto phase = [](const std::optional<PhaseUsed>& used) {
    return used ? fmt::format("{{\"method\": {}, \"exact\": {}}}", json_string(used->method), used->exact)
                : std::string("null");
  };
  std::string text = fmt::format(
      "{{\"own_rows\": {}, \"estimator\": {}, \"repeats\": {}, \"warm_up\": {}, \"each_repeat\": {}, \"against\": {}, "
      "\"positive_phase\": {}, \"negative_phase\": {}, \"tensors\": {{",
      figures.own_rows ? std::to_string(*figures.own_rows) : "null", json_string(request.estimator), request.repeats,
      request.warm_up, json_string(words_of_repeat(request)),
      request.against.empty() ? "null" : json_string(request.against), phase(figures.positive),
      phase(figures.negative));
  const auto figure = [](const GradientComparison& g) {
    return fmt::format(
        "{{\"norm\": {}, \"variance\": {}, \"bias\": {}, \"noise\": {}, \"against_norm\": {}, \"cosine\": {}, "
        "\"sign_disagreement\": {}}}",
        json_number(g.norm), json_number(g.variance), json_number(g.bias), json_number(g.noise),
        json_number(g.against_norm), json_number(g.cosine), json_number(g.sign_disagreement));
  };
  const std::vector<GradientComparison>& tensors = figures.tensors;
  for (std::size_t i = 0; i + 1 < tensors.size(); ++i)
    text += fmt::format("{}{}: {}", i ? ", " : "", json_string(tensors[i].name), figure(tensors[i]));
  return text + "}, \"all\": " + figure(tensors.back()) + "}\n";
}

class Gradient final : public RequestCommand<GradientRequest> {
 public:
  Gradient()
      : RequestCommand("gradient", "Estimate the gradient of data's mean log likelihood (direction of ascent)",
                       gradient_more,
                       {"harmonium gradient runs/first --estimator cd --set estimator.gibbs_steps=5 --against exact",
                        "harmonium gradient model.h5 --data test.csv --estimator cd --repeats 100 --against exact "
                        "--output bias.h5"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_data(command, request_.data);
    add_name(command, "--estimator", request_.estimator, "NAME", "See 'harmonium list estimator'")->required();
    add_name(command, "--output", request_.output, "FILE",
             "FILE.h5: groups gradient, variance, against; FILE.npz: arrays as of export (default: none)");
    add_count(command, "--repeats", request_.repeats, "N", 1, "Independent estimates to average (default: 1)");
    add_count(command, "--warm-up", request_.warm_up, "N", 0,
              "Estimates of each repeat before the one that counts (default: 0)");
    add_name(command, "--against", request_.against, "NAME", "Compare with this estimator, such as exact");
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "estimator.gibbs_steps=5 or data.scale=0.5");
  }
  bool writes_files() const override { return !request_.output.empty(); }
  int run(Terminal& terminal) override {
    const std::string given = request_.model;
    request_.model = model_named(given);
    request_.own_data = request_.model != given;
    const GradientFigures figures = program(precision_of_model(request_.model)).gradient(request_);
    terminal.finish();
    write_out(json_ ? gradient_json(figures, request_) : gradient_text(figures, request_));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> gradient_command() { return std::make_unique<Gradient>(); }

}  // namespace v1
}  // namespace harmonium
