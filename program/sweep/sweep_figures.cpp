#include <harmonium/program/sweep/sweep_figures.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <harmonium/framework/pictures/gnuplot_words.hpp>
#include <harmonium/program/seed_means.hpp>
#include <harmonium/program/setting_words.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::size_t most_panels = 6;
constexpr int sweep_width = 760, sweep_panel_height = 230, sweep_legend_line = 18;

/// A mean over seeds at a place on the axis.
struct SweepMean {
  double x = 0.0, mean = 0.0, error = 0.0;  ///< error NaN: of one seed
};
struct SweepCurve {
  std::string label;
  std::vector<SweepMean> means;
};

/// The axis of a key: its values by their places.
struct SweepScale {
  bool numbers = true, log = false;
  std::vector<std::string> values;  ///< of texts, in the order of their first appearance
  std::vector<std::string> labels;  ///< of `values`: what tells them apart

  double place(const Value& value) const {
    if (numbers) return *value.number();
    const auto at = std::ranges::find(values, text_of_setting(value)) - values.begin();
    return static_cast<double>(at + 1);
  }
};

/// What tells the values of a key apart, of each run.
std::vector<std::string> texts_of_key(const SweepRuns& runs, std::size_t key) {
  DifferingSetting setting{runs.keys[key], {}};
  for (const SweepRun& run : runs.runs)
    setting.values.push_back(run.settings[key].is_empty() ? nullptr : &run.settings[key]);
  return setting_texts(setting);
}

SweepScale scale_of(const SweepRuns& runs, std::size_t key, const std::vector<std::string>& texts) {
  SweepScale scale;
  double low = INFINITY, high = -INFINITY;
  for (std::size_t r = 0; r < runs.runs.size(); ++r) {
    const Value& value = runs.runs[r].settings[key];
    const std::string text = text_of_setting(value);
    if (std::ranges::find(scale.values, text) == scale.values.end()) {
      scale.values.push_back(text);
      scale.labels.push_back(texts[r]);
    }
    const std::optional<double> number = value.number();
    scale.numbers = scale.numbers && number;
    low = std::min(low, number.value_or(low)), high = std::max(high, number.value_or(high));
  }
  scale.log = scale.numbers && low > 0.0 && high >= 10.0 * low;
  return scale;
}

/// The figures of the seeds of one setting.
struct SeedValues {
  double x = 0.0;
  std::vector<double> values;
  std::string label;

  SweepMean mean() const {
    const SeedMean found = mean_of_seeds(values);
    return {x, found.mean, found.error.value_or(NAN)};
  }
};

class KeyFigure {
 public:
  KeyFigure(const SweepRuns& runs, const SweepResults& results, std::size_t key)
      : runs_(runs), results_(results), key_(key) {
    for (std::size_t k = 0; k < runs_.keys.size(); ++k) {
      texts_.push_back(texts_of_key(runs_, k));
      const SweepScale scale = scale_of(runs_, k, texts_[k]);
      varies_.push_back(scale.values.size() > 1);
      if (k == key_) scale_ = scale;
    }
    for (std::size_t r = 0; r < runs_.runs.size(); ++r)
      if (const std::string label = label_of(r); std::ranges::find(labels_, label) == labels_.end())
        labels_.push_back(label);
    crowded_ = labels_.size() > num_plot_colors;
    if (crowded_) labels_ = {"of all other settings"};
  }

  std::optional<SweepFigure> draw() const {
    std::string data, body;
    std::size_t panels = 0;
    for (const ComparedFigure& figure : results_.figures) {
      const std::vector<SweepCurve> curves = curves_of(figure);
      if (curves.empty() || panels == most_panels) continue;
      body += panel(figure, curves, panels++, data);
    }
    if (panels == 0) return {};
    const int rows = static_cast<int>((panels + 1) / 2);
    const bool legend = labels_.size() > 1 || crowded_;
    const int below = legend ? sweep_legend_line * static_cast<int>(labels_.size()) + 10 : 0;
    const FigureSize size{sweep_width, rows * sweep_panel_height + below};
    const std::string& key = runs_.keys[key_];
    SweepFigure figure{"by_" + key + ".svg", "", "", size};
    std::ranges::replace_if(
        figure.file, [](char c) { return c == '/' || c == '[' || c == ']' || c == '"'; }, '_');
    figure.caption = fmt::format("{} figures over {}: means over seeds, with one standard error.", panels, key);
    figure.script = head(size, below) + data + "set multiplot\n" + body + (legend ? legend_part(size, below) : "") +
                    "unset multiplot\n";
    return figure;
  }

 private:
  /// What is the same on a curve: the other keys but the seed; of one that is drawn, what is not drawn.
  std::string label_of(std::size_t run) const {
    std::string label;
    for (std::size_t k = 0; k < runs_.keys.size(); ++k) {
      if (k == key_ || runs_.keys[k] == "seed" || (runs_.drawn[key_] && runs_.drawn[k]) || !varies_[k]) continue;
      label += fmt::format("{}{} = {}", label.empty() ? "" : ", ", runs_.keys[k], texts_[k][run]);
    }
    return label;
  }
  /// All settings but the seed.
  std::string setting_of(std::size_t run) const {
    std::string text;
    for (std::size_t k = 0; k < runs_.keys.size(); ++k)
      if (runs_.keys[k] != "seed") text += text_of_setting(runs_.runs[run].settings[k]) + "\n";
    return text;
  }

  /// The runs whose values of a figure are shown.
  std::vector<std::size_t> shown_runs(const ComparedFigure& figure) const {
    std::vector<std::size_t> shown;
    for (std::size_t r = 0; r < runs_.runs.size(); ++r) {
      const auto& end = results_.ends[r];
      const auto& own = figure.of_runs[r];
      if (end && end->state == SweepEnd::State::finished && own && std::isfinite(own->last.value)) shown.push_back(r);
    }
    return shown;
  }

  std::vector<SweepCurve> curves_of(const ComparedFigure& figure) const {
    std::map<std::string, SeedValues> settings;
    for (const std::size_t r : shown_runs(figure)) {
      SeedValues& seeds = settings[setting_of(r)];
      seeds.label = crowded_ ? labels_[0] : label_of(r);
      seeds.x = scale_.place(runs_.runs[r].settings[key_]);
      seeds.values.push_back(figure.of_runs[r]->last.value);
    }
    std::vector<SweepCurve> curves;
    for (const std::string& label : labels_) {
      SweepCurve curve{label, {}};
      for (const auto& entry : settings)
        if (entry.second.label == label) curve.means.push_back(entry.second.mean());
      std::ranges::sort(curve.means, {}, &SweepMean::x);
      curves.push_back(std::move(curve));
    }
    const bool any = std::ranges::any_of(curves, [](const SweepCurve& curve) { return !curve.means.empty(); });
    return any ? curves : std::vector<SweepCurve>{};
  }

  std::string panel(const ComparedFigure& figure, const std::vector<SweepCurve>& curves, std::size_t number,
                    std::string& data) const {
    std::string plots;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      if (curves[c].means.empty()) continue;
      std::string points, bars;
      for (const SweepMean& m : curves[c].means) {
        points += fmt::format("{} {:.9g}\n", m.x, m.mean);
        if (std::isfinite(m.error)) bars += fmt::format("{} {:.9g} {:.9g}\n", m.x, m.mean, m.error);
      }
      const std::string block = fmt::format("p{}c{}", number, c);
      data += fmt::format("${} << EOD\n{}EOD\n", block, points);
      const auto add = [&](const std::string& plot) { plots += (plots.empty() ? "" : ", ") + plot; };
      if (!bars.empty()) {
        data += fmt::format("${}b << EOD\n{}EOD\n", block, bars);
        add(fmt::format("${}b using 1:2:3 with yerrorbars pt 0 lw 1.2 lc rgb '{}' notitle", block, plot_color(c)));
      }
      add(fmt::format("${} using 1:2 with {} pt 7 ps 0.5 lw 1.5 lc rgb '{}' notitle", block,
                      crowded_ ? "points" : "linespoints", plot_color(c)));
    }
    const std::string title = figure.name + epochs_words(earlier_epochs(figure, results_.logs, shown_runs(figure)));
    return fmt::format("@cell{}\nset title {}\nset ylabel {}\nplot {}\n", number, gnuplot_text(title),
                       gnuplot_text(figure.unit), plots);
  }

  /// Everything in front of the panels; each is placed by a macro.
  std::string head(const FigureSize& size, int below) const {
    std::string text =
        "reset\nset encoding utf8\nset termoption noenhanced\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\nset border 3\n"
        "set tics nomirror out\nunset key\nset lmargin 12\nset rmargin 2\nset tmargin 2.5\nset bmargin 3.5\n"
        "set format y '%.6g'\nset offsets graph 0.04, graph 0.04, graph 0.05, graph 0.05\n";
    text += fmt::format("set xlabel {} offset 0,0.4\n", gnuplot_text(runs_.keys[key_]));
    if (scale_.log) text += "set logscale x\n";
    if (!scale_.numbers) {
      text += "set xtics (";
      for (std::size_t v = 0; v < scale_.values.size(); ++v)
        text += fmt::format("{}{} {}", v == 0 ? "" : ", ", gnuplot_text(scale_.labels[v]), v + 1);
      text += ")\n";
    }
    const double height = size.height;
    for (int p = 0; p < static_cast<int>(most_panels); ++p) {
      const int row = p / 2 + 1;
      const double bottom = std::max(0.0, height - sweep_panel_height * static_cast<double>(row)) / height;
      text += fmt::format("cell{} = \"set origin {},{:.5f}; set size 0.5,{:.5f}\"\n", p, p % 2 == 1 ? 0.5 : 0.0, bottom,
                          (height - below) / height / std::round((height - below) / sweep_panel_height));
    }
    return text;
  }

  std::string legend_part(const FigureSize& size, int below) const {
    std::string plots;
    for (std::size_t l = 0; l < labels_.size(); ++l)
      plots += fmt::format("{}NaN with linespoints pt 7 lw 2 lc rgb '{}' title {}", l == 0 ? "plot " : ", ",
                           plot_color(l), gnuplot_text(labels_[l]));
    return fmt::format(
        "reset\nset termoption noenhanced\nset origin 0,0\nset size 1,{:.4f}\nset lmargin 2\nset rmargin 2\n"
        "set tmargin 0\nset bmargin 0\nunset border\nunset tics\nset xrange [0:1]\nset yrange [0:1]\n"
        "set key at graph 0, graph 1 left top vertical maxrows {} Left reverse samplen 2\n{}\n",
        static_cast<double>(below) / size.height, labels_.size(), plots);
  }

  const SweepRuns& runs_;
  const SweepResults& results_;
  std::size_t key_;
  SweepScale scale_;
  std::vector<std::vector<std::string>> texts_;  ///< of each key, of each run
  std::vector<bool> varies_;
  std::vector<std::string> labels_;
  bool crowded_ = false;
};

}  // namespace

std::vector<SweepFigure> figures_of_sweep(const SweepRuns& runs, const SweepResults& results) {
  std::vector<SweepFigure> figures;
  for (std::size_t k = 0; k < runs.keys.size(); ++k) {
    if (runs.keys[k] == "seed" || scale_of(runs, k, texts_of_key(runs, k)).values.size() < 2) continue;
    if (auto figure = KeyFigure(runs, results, k).draw()) figures.push_back(std::move(*figure));
  }
  return figures;
}

}  // namespace v1
}  // namespace harmonium
