// The table, the figure and the summary of harmonium study estimators.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/studies/estimators/options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// The mean over seeds, at the last stage.
template <class Figure>
double mean_of(const EstimatorStudyOptions& options, const std::vector<EstimatorRow>& rows,
               const StudiedEstimator& subject, const Figure& figure) {
  const double last = *std::ranges::max_element(options.updates);
  double sum = 0.0, number = 0.0;
  for (const EstimatorRow& row : rows) {
    const EstimatorMeasure& m = row.measure;
    if (m.estimator != subject.name || m.gibbs_steps != subject.gibbs_steps || static_cast<double>(m.updates) != last)
      continue;
    sum += figure(row);
    ++number;
  }
  return sum / number;
}

/// bias / |exact|; where it is not three standard errors of the mean, `< ` that many. An estimator that does not draw has
/// errors of rounding alone.
std::string bias_text(double bias, double standard_error, double exact_norm) {
  const double floor = 3.0 * standard_error;
  if (bias > floor || floor < 1e-12 * exact_norm) return fmt::format("{:.3g}", bias / exact_norm);
  return fmt::format("< {:.2g}", floor / exact_norm);
}

}  // namespace

std::string estimators_csv(const EstimatorStudyOptions& options, const std::vector<EstimatorRow>& rows) {
  std::string text =
      "data_set,d,seed,updates,log_likelihood,estimator,k,repeats,exact_norm,norm,cosine,bias,variance,standard_error,"
      "products,seconds,cosine_at_equal_products,cosine_at_equal_seconds,visible_units\n";
  for (const EstimatorRow& row : rows) {
    const EstimatorMeasure& m = row.measure;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.4g},{},{:.4g},{}\n", options.data_set,
                        options.size, m.seed, m.updates, m.log_likelihood, m.estimator,
                        m.gibbs_steps > 0 ? fmt::format("{}", m.gibbs_steps) : "", options.repetition().made(),
                        m.exact_norm, m.mean_norm, m.cosine, m.bias, m.variance, m.noise, m.products, m.seconds,
                        row.at_equal_products, row.at_equal_seconds, options.units());
  }
  return text;
}

std::string equal_compute_figure(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                                 const std::vector<EstimatorRow>& rows) {
  constexpr const char* of_estimator[] = {"#440154", "#3b528b", "#21918c", "#5ec962", "#e0a800",
                                          "#d1495b", "#7f7f7f", "#1f77b4", "#8c564b", "#000000"};
  const double min = *std::ranges::min_element(options.gibbs_steps),
               most = *std::ranges::max_element(options.gibbs_steps);
  std::string data, body;
  const std::pair<const char*, double EstimatorRow::*> panels[] = {
      {"matrix products", &EstimatorRow::at_equal_products}, {"seconds", &EstimatorRow::at_equal_seconds}};
  for (Index p = 0; p < 2; ++p) {
    std::string plots;
    for (Index e = 0; e < options.estimators.size(); ++e) {
      const std::string block = fmt::format("$p{}_{}", p, e);
      bool steps = true;
      data += block + " << EOD\n";
      for (const StudiedEstimator& s : subjects) {
        if (s.name != options.estimators[e]) continue;
        const double y = mean_of(options, rows, s, [&](const EstimatorRow& row) { return row.*panels[p].second; });
        steps = s.gibbs_steps > 0;
        if (steps) data += fmt::format("{} {}\n", s.gibbs_steps, y);
        else data += fmt::format("{} {}\n{} {}\n", min / 1.1, y, most * 1.1, y);
      }
      data += "EOD\n";
      plots +=
          fmt::format("{}{} using 1:2 with {} lc rgb '{}' title '{}' noenhanced", plots.empty() ? "plot " : ", \\\n  ",
                      block, steps ? fmt::format("linespoints lw 1.5 ps 0.8 pt {}", 4 + e) : "lines lw 1.5 dt 2",
                      of_estimator[e % 10], options.estimators[e]);
    }
    // The second panel leaves room for the key of both.
    body += fmt::format(
        "set title '{} of {} estimates of CD-1'\nset xlabel 'k, Gibbs steps (dashed: none)'\n"
        "set ylabel '{}'\nset logscale x\nset xrange [{}:{}]\nset xtics ({:g})\n"
        "set yrange [*:1]\nset lmargin at screen {}\nset rmargin at screen {}\n{}\n{}\n",
        panels[p].first, options.budget, p == 0 ? "cosine with the exact gradient" : "", min / 1.2, most * 1.2,
        fmt::join(options.gibbs_steps, ", "), p == 0 ? 0.085 : 0.44, p == 0 ? 0.385 : 0.74,
        p == 0 ? "set key off" : "set key at screen 0.99, screen 0.85 right top", plots);
  }
  return fmt::format(
      "reset\nset encoding utf8\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out\nset key samplen 2\n{}"
      "set multiplot layout 1,2 title '{}\\_{}, {} visible units, after {:g} updates, means over {} seeds'\n{}unset "
      "multiplot\n",
      data, options.data_set == "diagonal" ? "Diag" : "1DBall", options.size,
      options.gaussian() ? "Gaussian" : "binary", *std::ranges::max_element(options.updates), options.num_seeds, body);
}

std::string estimator_summary(const EstimatorStudyOptions& options, const std::vector<StudiedEstimator>& subjects,
                              const std::vector<EstimatorRow>& rows) {
  std::string text = fmt::format("after {:g} updates, means over {} seeds\n{:<28}{:>4}{:>9}{:>13}{:>15}{:>18}{:>17}\n",
                                 *std::ranges::max_element(options.updates), options.num_seeds, "estimator", "k",
                                 "cosine", "bias/|exact|", "microseconds", "cosine, products", "cosine, seconds");
  for (const StudiedEstimator& s : subjects) {
    const auto mean = [&](const auto& figure) { return mean_of(options, rows, s, figure); };
    const auto measured = [&](double EstimatorMeasure::*field) {
      return mean([&](const EstimatorRow& row) { return row.measure.*field; });
    };
    text += fmt::format("{:<28}{:>4}{:>9.4f}{:>13}{:>15.3g}{:>18.4f}{:>17.4f}\n", s.name,
                        s.gibbs_steps > 0 ? fmt::format("{}", s.gibbs_steps) : "-", measured(&EstimatorMeasure::cosine),
                        bias_text(measured(&EstimatorMeasure::bias), measured(&EstimatorMeasure::noise),
                                  measured(&EstimatorMeasure::exact_norm)),
                        1e6 * measured(&EstimatorMeasure::seconds),
                        mean([](const EstimatorRow& row) { return row.at_equal_products; }),
                        mean([](const EstimatorRow& row) { return row.at_equal_seconds; }));
  }
  if (std::ranges::any_of(subjects, [](const StudiedEstimator& s) { return s.gibbs_steps == 0; }))
    text += "k is '-' where an estimator makes no Gibbs steps.\n";
  text += "A bias after '<' is within three standard errors of the mean estimate: it takes more repeats to see it.\n";
  return text;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
