#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/cli/options.hpp>
#include <harmonium/cli/text.hpp>
#include <harmonium/program/commands.hpp>
#include <harmonium/program/precision.hpp>
#include <harmonium/program/run_argument.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr const char* diagnose_more =
    "Runs chains from starts that lie far apart: every unit at its lowest state, at its highest, uniform draws, and "
    "rows\n"
    "of the data. Prints, for the energy, the sum of each layer (of categorical units, their mean state) and the\n"
    "leading modes of the weights, the mean, the autocorrelation time two ways, R-hat and whether the starts still\n"
    "differ; then a verdict, and what to change. What no start leads to is not seen. Of a run's folder without --data\n"
    "the rows are those that it was trained on.";

std::string verdict_text(const Diagnosis& d) {
  const std::string look = d.short_look().empty() ? "" : ": " + d.short_look();
  std::string text = d.mixed ? d.verdict + "\n" : d.too_short ? "not decided" + look + ":\n" : "not mixed:\n";
  for (const std::string& why : d.why) text += "  " + why + "\n";
  if (!d.remark.empty()) text += d.remark + "\n";
  for (const std::string& advice : d.advice) text += advice + "\n";
  return text;
}

/// Of a list that is constant there is no correlation.
std::string correlation(double value) {
  return std::isfinite(value) ? fmt::format("{:.3f}", value) : "none, all alike";
}

/// What there is beside the numbers of the table.
std::string comparisons_text(const Diagnosis& d) {
  std::string text;
  if (!d.singular_values.empty())
    text += fmt::format("singular values of {}: {:.3g}\n", d.coupling, fmt::join(d.singular_values, " "));
  const auto beta = [&](const char* of, const std::optional<double>& value) {
    text += fmt::format("inverse temperature that fits the {}: {}\n", of,
                        value ? fmt::format("{:.3f}", *value) : "none from 0.05 to 20");
  };
  if (d.fits_beta) beta("draws", d.beta_of_draws);
  if (d.fits_beta && d.means) beta("data", d.beta_of_data);
  const auto moments = [&](const char* name, const std::optional<DiagnosedMoments>& m) {
    if (m && !std::isfinite(m->pearson))
      text += fmt::format("{} of draws against data: nothing to compare, all are alike\n", name);
    else if (m)
      text += fmt::format("{} of draws against data: Pearson {}, slope {} (two halves of the data: {})\n", name,
                          correlation(m->pearson), correlation(m->slope), correlation(m->pearson_of_halves));
  };
  moments("means", d.means);
  moments("correlations", d.correlations);
  if (!d.modes_of_data.empty())
    text += fmt::format("shares of {} cells along the leading modes: draws {:.2f}, data {:.2f}\n",
                        d.modes_of_data.size(), fmt::join(d.modes_of_draws, " "), fmt::join(d.modes_of_data, " "));
  if (d.total_variation)
    text += fmt::format(
        "total variation of the observed law: {:.3g} (of independent draws, as many as these are worth: {:.3g})\n",
        *d.total_variation, *d.total_variation_floor);
  return text;
}

/// Chains from uniform draws as they go.
std::string ages_text(const Diagnosis& d) {
  if (d.ages.empty()) return "";
  std::string text =
      "from uniform draws, after so many steps: mean energy, distance of second moments from the data's\n";
  if (std::ranges::any_of(d.ages, [](const DiagnosedAge& a) { return a.distance == 0.0; }))
    text.insert(text.size() - 1, "\n    (less what noise adds; 0: no more than that)");
  for (const DiagnosedAge& a : d.ages)
    text += fmt::format("{:>8}{:>14.6g} +- {:<8.2g}{:>10.3g}\n", a.step, a.energy, a.error, a.distance);
  if (d.out_of_equilibrium == false)
    text += fmt::format(
        "    Nothing shows that training out of equilibrium made it look so after {} steps alone: at the end {:.3g}\n"
        "    from the data, where {:.3g} or more would be told in 19 of 20 cases.\n",
        *d.trained_steps, d.ages.back().distance, *d.told_from);
  return text;
}

std::string diagnosis_text(const Diagnosis& d) {
  std::string text =
      fmt::format("{} chains from {}, {} steps used of each\n", d.num_chains, fmt::join(d.starts, ", "), d.num_steps);
  if (d.own_rows) text += fmt::format("data: the run's own, its {} training rows\n", *d.own_rows);
  if (!d.moves.empty()) text += d.moves + "\n";
  std::size_t width = 24;
  for (const DiagnosedNumber& n : d.numbers) width = std::max(width, n.name.size());
  text += fmt::format("\n{:<{}}{:>14}{:>12}{:>10}{:>10}{:>8}{:>12}\n", "number", width, "mean", "error", "tau", "tau'",
                      "R-hat", "p of starts");
  for (const DiagnosedNumber& n : d.numbers)
    text += fmt::format("{:<{}}{:>14.6g}{:>12.3g}{:>10.4g}{:>10.4g}{:>8.3f}{:>12.3g}\n", n.name, width, n.mean, n.error,
                        n.monotone_time, n.batch_time, n.r_hat, n.equal_means);
  text += fmt::format(
      "tau, tau': tau = 1 + 2 sum rho, the autocorrelation time in steps, 1 of independent ones; two estimates\n"
      "\neffective sample size {:.4g}, of {}\n",
      d.effective_sample_size, d.slowest);
  return text + comparisons_text(d) + ages_text(d) + verdict_text(d);
}

std::string list_json(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + json_string(w);
  return "[" + text + "]";
}

std::string json_flag(const std::optional<bool>& flag) { return !flag ? "null" : *flag ? "true" : "false"; }

std::string comparisons_json(const Diagnosis& d) {
  const auto moments = [](const std::optional<DiagnosedMoments>& m) {
    return m ? fmt::format("{{\"pearson\": {}, \"slope\": {}, \"pearson_of_halves\": {}}}", json_number(m->pearson),
                           json_number(m->slope), json_number(m->pearson_of_halves))
             : std::string("null");
  };
  std::string ages;
  for (const DiagnosedAge& a : d.ages)
    ages += fmt::format("{}{{\"step\": {}, \"energy\": {}, \"error\": {}, \"distance\": {}}}", ages.empty() ? "" : ", ",
                        a.step, json_number(a.energy), json_number(a.error), json_number(a.distance));
  const auto numbers = [](const std::vector<double>& list) {
    std::string all;
    for (const double v : list) all += (all.empty() ? "" : ", ") + json_number(v);
    return all;
  };
  return fmt::format(
      "\"modes_of_data\": [{}], \"modes_of_draws\": [{}], \"ages\": [{}], \"out_of_equilibrium\": {}, \"told_from\": "
      "{}, "
      "\"singular_values\": [{}], \"beta_of_draws\": {}, \"beta_of_data\": {}, \"means\": {}, \"correlations\": {}, "
      "\"total_variation\": {}, \"total_variation_floor\": {}",
      numbers(d.modes_of_data), numbers(d.modes_of_draws), ages, json_flag(d.out_of_equilibrium),
      json_number(d.told_from), numbers(d.singular_values), json_number(d.beta_of_draws), json_number(d.beta_of_data),
      moments(d.means), moments(d.correlations), json_number(d.total_variation), json_number(d.total_variation_floor));
}

std::string diagnosis_json(const Diagnosis& d) {
  std::string numbers;
  for (const DiagnosedNumber& n : d.numbers)
    numbers += fmt::format(
        "{}{}: {{\"mean\": {}, \"error\": {}, \"autocorrelation_time\": {}, \"autocorrelation_time_batches\": {}, "
        "\"r_hat\": {}, \"equal_means_probability\": {}}}",
        numbers.empty() ? "" : ", ", json_string(n.name), json_number(n.mean), json_number(n.error),
        json_number(n.monotone_time), json_number(n.batch_time), json_number(n.r_hat), json_number(n.equal_means));
  return fmt::format(
      "{{\"own_rows\": {}, \"mixed\": {}, \"decided\": {}, \"run_mixed\": {}, \"verdict\": {}, \"why\": {}, "
      "\"remark\": {}, \"advice\": {}, \"advised_steps\": {}, \"starts\": {}, "
      "\"num_chains\": {}, "
      "\"num_steps\": {}, \"autocorrelation_time\": {}, \"slowest\": {}, \"effective_sample_size\": {}, \"moves\": {}, "
      "{}, \"numbers\": {{{}}}}}\n",
      d.own_rows ? std::to_string(*d.own_rows) : "null", d.mixed, !d.too_short, json_flag(d.run_mixed),
      json_string(d.verdict), list_json(d.why), d.remark.empty() ? "null" : json_string(d.remark), list_json(d.advice),
      d.advised_steps ? std::to_string(*d.advised_steps) : "null", list_json(d.starts), d.num_chains, d.num_steps,
      json_number(d.autocorrelation_time), json_string(d.slowest), json_number(d.effective_sample_size),
      json_string(d.moves), comparisons_json(d), numbers);
}

class Diagnose final : public RequestCommand<DiagnoseRequest> {
 public:
  Diagnose()
      : RequestCommand(
            "diagnose", "Judge whether chains mix on a model, with a verdict", diagnose_more,
            {"harmonium diagnose runs/first", "harmonium diagnose model.h5 --data test.csv --steps 5000 --json"}) {}

  void declare(CLI::App& command) override {
    add_model(command, request_.model);
    add_data(command, request_.data);
    add_name(command, "--sampler", request_.sampler, "NAME",
             "See 'harmonium list sampler' (default: gibbs, or top_down of a stack)");
    add_beta(command, request_.beta);
    add_count(command, "--steps", request_.steps, "N", 100,
              "Steps of each chain, of which the second half is used (default: 2000)");
    add_count(command, "--chains", request_.chains, "N", 4, "Chains of each start (default: 8)");
    command.add_flag("--json", json_, "One JSON object, numbers with 17 significant digits");
    add_common(command, request_, quiet_, "sampler.step_size=0.1 or data.scale=0.5");
  }
  bool writes_files() const override { return false; }
  int run(Terminal& terminal) override {
    const std::string given = request_.model;
    request_.model = model_named(given);
    request_.own_data = request_.model != given;
    const Diagnosis found = program(precision_of_model(request_.model)).diagnose(request_);
    terminal.finish();
    write_out(json_ ? diagnosis_json(found) : diagnosis_text(found));
    return 0;
  }

 private:
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> diagnose_command() { return std::make_unique<Diagnose>(); }

}  // namespace v1
}  // namespace harmonium
