// The five figures of Bengio & Delalleau (2009), as scripts for gnuplot.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/studies/cd_bias/over_seeds.hpp>
#include <harmonium/studies/cd_bias/report.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// One for each size, dark to light, told apart in gray too (viridis).
constexpr const char* colors[] = {"#440154", "#3b528b", "#21918c", "#5ec962", "#e0a800",
                                  "#d1495b", "#7f7f7f", "#1f77b4", "#8c564b"};
constexpr int points[] = {7, 5, 9, 11, 13, 4, 6, 8, 10};

constexpr const char* preamble =
    "reset\nset encoding utf8\nset grid lt 1 lw 0.5 lc rgb '#cccccc'\nset border 3\nset tics nomirror out\nset key "
    "samplen 2 "
    "spacing 1.1\n";

/// A round step that divides what goes up to `last` into four to ten parts.
double tic_step(double last) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(last, 1.0))));
  return last / unit >= 4.0 ? unit : last / unit >= 2.0 ? 0.5 * unit : 0.25 * unit;
}

class StudyFigures {
 public:
  StudyFigures(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs) : options_(options), runs_(runs) {}

  std::vector<CdBiasFigure> all() {
    if (options_.trace_every > 0) training();
    add(2, "r_by_k", "Relative bias r_k of CD-k at the stopping criterion: the part of the gradient that is lost",
        by_k("r_k, median |δ_k/Δ| (%)", &BiasStatistics::r_median, false, "top right", "[0:100<*]"));
    parameters();
    add(4, "s_by_k", "Share s_k of entries in which CD-k and the gradient differ in sign, at the stopping criterion",
        by_k("s_k, wrong signs (%)", &BiasStatistics::s, false, "top right", "[0:6<*]"));
    if (options_.fixed_updates > 0)
      add(5, "r_by_k_fixed_updates",
          fmt::format("Relative bias r_k of CD-k after {} updates, whatever the likelihood", options_.fixed_updates),
          by_k("r_k, median |δ_k/Δ| (%)", &BiasStatistics::r_median, true, "top right", "[0:100<*]"));
    return std::move(figures_);
  }

 private:
  void add(int number, const char* name, std::string caption, const std::string& script) {
    figures_.push_back({number, fmt::format("figure{}_{}", number, name), std::move(caption), preamble + script});
  }
  std::string panels(const std::string& body) const {
    return fmt::format("set multiplot layout 1,{}\n{}unset multiplot\n", options_.data_sets.size(), body);
  }

  /// A panel a data set; in it a line a size: the mean over seeds against k, from the smallest to the largest as bars.
  std::string by_k(const char* label, double BiasStatistics::*field, bool fixed, const char* key,
                   const char* range) const {
    std::string data, body;
    for (const std::string& set : options_.data_sets) {
      std::string plots;
      for (Index i = 0; i < options_.sizes.size(); ++i) {
        const double d = options_.sizes[i];
        const std::string block = fmt::format("${}_{:g}", set, d);
        data += block + " << EOD\n";
        for (Index k = 1; k <= options_.most_steps; ++k) {
          const OverSeeds r = over_seeds(runs_of(runs_, set, static_cast<Index>(d)), [&](const CdBiasRun& run) {
            return 100.0 * (fixed ? *run.fixed : run.criterion).steps[k - 1].*field;
          });
          data += fmt::format("{} {} {} {}\n", k, r.mean, r.min, r.max);
        }
        data += "EOD\n";
        plots += fmt::format("{}{} using 1:2:3:4 with yerrorlines lw 1.5 ps 0.6 pt {} lc rgb '{}' title 'd = {:g}'",
                             plots.empty() ? "plot " : ", \\\n  ", block, points[i % 9], colors[i % 9], d);
      }
      body += fmt::format(
          "set title '{}'\nset xlabel 'k, Gibbs steps'\nset ylabel '{}'\nset xrange "
          "[0.5:{}]\n"
          "set xtics {}\nset yrange {}\nset key {}\n{}\n",
          paper_name(set), label, static_cast<double>(options_.most_steps) + 0.5, (options_.most_steps + 9) / 10, range,
          key, plots);
    }
    return data + panels(body);
  }

  /// One run of each data set, of the largest size asked for.
  void training() {
    std::string data, body, whose;
    const double d = *std::ranges::max_element(options_.sizes);
    for (const std::string& set : options_.data_sets) {
      const CdBiasRun& run = *runs_of(runs_, set, static_cast<Index>(d)).front();
      const double last = static_cast<double>(run.trace.back().updates) / 1000.0;
      data += fmt::format("${} << EOD\n", set);
      for (const CdBiasRecord& r : run.trace)
        data += fmt::format("{} {} {} {} {}\n", static_cast<double>(r.updates) / 1000.0, r.alpha, r.steps[0].delta,
                            100.0 * r.steps[0].r_median, 100.0 * r.steps[0].s);
      data += "EOD\n";
      body += fmt::format(
          "set title '{}\\_{:g}, seed {}'\nset border 11\nset xlabel 'updates (thousands)'\nset xtics {}\nset ylabel "
          "'r_1, s_1, 100 "
          "δ_1 (%)'\n"
          "set y2label 'α'\nset yrange [0:100]\nset y2range [0:*]\nset y2tics\nset key outside bottom center "
          "horizontal\n"
          "plot ${} using 1:4 with lines lw 2 lc rgb '{}' title 'r_1', \\\n"
          "  ${} using 1:(100*$3) with lines lw 2 dt (8,4) lc rgb '{}' title '100 δ_1', \\\n"
          "  ${} using 1:5 with lines lw 2 dt (3,3) lc rgb '{}' title 's_1', \\\n"
          "  ${} using 1:2 axes x1y2 with lines lw 2 lc rgb '{}' title 'α (right axis)'\n",
          paper_name(set), d, run.cell.seed, tic_step(last), set, colors[0], set, colors[2], set, colors[5], set,
          colors[4]);
    }
    add(1, "training",
        "α, δ_1, r_1 and s_1 while one machine of each data set is trained by CD, up to the stopping criterion",
        data + panels(body));
  }

  void parameters() {
    std::string data, body;
    double top = 0.0;
    for (const CdBiasRun& run : runs_) top = std::max({top, run.criterion.alpha, run.criterion.beta});
    top = 10.0 * std::ceil(top / 10.0 + 0.8);  // with room for the key
    for (const std::string& set : options_.data_sets) {
      data += fmt::format("${} << EOD\n", set);
      for (const double d : options_.sizes) {
        const auto runs = runs_of(runs_, set, static_cast<Index>(d));
        const OverSeeds a = over_seeds(runs, [](const CdBiasRun& run) { return run.criterion.alpha; });
        const OverSeeds b = over_seeds(runs, [](const CdBiasRun& run) { return run.criterion.beta; });
        data += fmt::format("{} {} {} {} {} {} {}\n", d, a.mean, a.min, a.max, b.mean, b.min, b.max);
      }
      data += "EOD\n";
      const double low = *std::ranges::min_element(options_.sizes), high = *std::ranges::max_element(options_.sizes);
      body += fmt::format(
          "set title '{}'\nset xlabel 'd, visible units'\nset ylabel 'α, β'\n"
          "set xrange [{}:{}]\nset xtics 1\nset yrange [0:{}]\nset key top left\n"
          "plot ${} using 1:2:3:4 with yerrorlines lw 1.5 pt 7 ps 0.7 lc rgb '{}' title 'α, visible units', \\\n"
          "  ${} using 1:5:6:7 with yerrorlines lw 1.5 pt 9 ps 0.8 lc rgb '{}' title 'β, hidden units'\n",
          paper_name(set), low - 0.5, high + 0.5, top, set, colors[0], set, colors[2]);
    }
    add(3, "parameters", "α and β at the stopping criterion", data + panels(body));
  }

  const CdBiasOptions& options_;
  const std::vector<CdBiasRun>& runs_;
  std::vector<CdBiasFigure> figures_;
};

}  // namespace

std::vector<CdBiasFigure> cd_bias_figures(const CdBiasOptions& options, const std::vector<CdBiasRun>& runs) {
  return StudyFigures(options, runs).all();
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
