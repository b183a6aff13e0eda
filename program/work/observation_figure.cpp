// The figure of harmonium observe: averages against the inverse temperature, or the temperature, and the laws of the overlap.
#include <algorithm>

#include <fmt/format.h>

#include <harmonium/program/work/observation_files.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr const char* curve_colors[] = {"#3b528b", "#d1495b", "#21918c", "#e0a800", "#440154",
                                        "#5ec962", "#7f7f7f", "#8c564b", "#1f77b4", "#000000"};

struct ObservedPanel {
  std::string title;
  std::vector<std::pair<std::string, std::string>> curves;  ///< name of an average, and what the key calls it
};

/// How the averages came about.
std::string way_of(const Observation& found) {
  return found.num_states ? found.method : fmt::format("{} chains, {} steps each", found.num_chains, found.num_steps);
}

/// Those averages that were found, panel by panel.
std::vector<ObservedPanel> panels_of(const Observation& found) {
  std::vector<ObservedPanel> wanted{
      {"energy a unit", {{"energy_per_unit", ""}}},
      {"specific heat a unit", {{"specific_heat", ""}}},
      {"magnetization", {{"magnetization", "m"}, {"abs_magnetization", "|m|"}}},
      {"susceptibility of |m|", {{"abs_susceptibility", ""}}},
      {"Binder cumulant", {{"binder_cumulant", ""}}},
      {"mean", {{"mean", ""}}},
      {"shares of states", {}},
      {"order of the states", {{"potts_order", ""}}},
      {"overlap of two replicas", {{"overlap", "q"}, {"abs_overlap", "|q|"}, {"squared_overlap", "q^2"}}}};
  const std::vector<ObservedNumber>& numbers = found.temperatures.front().numbers;
  for (const ObservedNumber& n : numbers)
    if (n.name.starts_with("share_")) wanted[6].curves.emplace_back(n.name, n.name.substr(6));
  const auto absent = [&](const auto& curve) {
    return std::ranges::find(numbers, curve.first, &ObservedNumber::name) == numbers.end();
  };
  for (ObservedPanel& panel : wanted) std::erase_if(panel.curves, absent);
  std::erase_if(wanted, [](const ObservedPanel& panel) { return panel.curves.empty(); });
  if (wanted.size() > 5) wanted.pop_back();  // the law of the overlap says it, in the last of six places
  return wanted;
}

const char* axis_of(const Observation& found) {
  return found.shown.by_temperature ? "temperature" : "inverse temperature";
}

/// beta or T, value, error, and 1 where the error can be believed.
std::string curve_data(const Observation& found, const std::string& block, const std::string& name) {
  std::string data = block + " << EOD\n";
  for (const ObservedTemperature& t : found.temperatures) {
    const auto n = std::ranges::find(t.numbers, name, &ObservedNumber::name);
    data += fmt::format("{} {} {} {}\n", found.shown.value(t.beta), n->value, n->error, n->long_enough ? 1 : 0);
  }
  return data + "EOD\n";
}

std::string panel_text(const Observation& found, const ObservedPanel& panel, Index place) {
  std::string data, plots;
  for (Index c = 0; c < panel.curves.size(); ++c) {
    const std::string block = fmt::format("$p{}_{}", place, c);
    const char* color = curve_colors[c % 10];
    data += curve_data(found, block, panel.curves[c].first);
    const auto points = [&](int sure, int shape) {
      return fmt::format(", \\\n  {} using 1:($4=={}?$2:NaN):3 with yerrorbars pt {} ps 0.5 lc rgb '{}' notitle", block,
                         sure, shape, color);
    };
    plots += fmt::format("{}{} using 1:2 with lines lw 1.5 lc rgb '{}' {}{}{}", plots.empty() ? "plot " : ", \\\n  ",
                         block, color,
                         panel.curves[c].second.empty() ? "notitle" : fmt::format("title '{}'", panel.curves[c].second),
                         points(1, 7), points(0, 6));
  }
  return fmt::format("{}set title '{}'\nset xlabel '{}'\n{}\n", data, panel.title, axis_of(found), plots);
}

/// What all panels share. Of some ten temperatures the labels of larger tics touch each other.
constexpr const char* usual_axes =
    "reset\nset encoding utf8\nset grid lc rgb '#dddddd'\nset border 3\nset tics nomirror out font ',10'\n"
    "set offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05\n";

/// Colors from the hottest to the coldest temperature. The margin has room for the bar, its tics and its label, of which gnuplot's
/// own holds the narrowest.
std::string palette_text(const Observation& found) {
  const auto [low, high] = std::minmax(
      {found.shown.value(found.temperatures.front().beta), found.shown.value(found.temperatures.back().beta)});
  return fmt::format(
      "set palette {}defined (0 '#d1495b', 0.5 '#e0a800', 1 '#3b528b')\nset cblabel '{}'\n"
      "set cbrange [{}:{}]\nset rmargin 6\n",
      found.shown.by_temperature ? "negative " : "", axis_of(found), low, high > low ? high : low + 1.0);
}

/// The density of q at each temperature, colored by it.
std::string overlap_text(const Observation& found) {
  std::string data, plots;
  for (Index k = 0; k < found.temperatures.size(); ++k) {
    const ObservedTemperature& t = found.temperatures[k];
    const std::string block = fmt::format("$q{}", k);
    data += block + " << EOD\n";
    for (const ObservedOverlap& o : t.overlaps)
      data += fmt::format("{} {} {}\n", 0.5 * (o.low + o.high), o.width > 0.0 ? o.density() : o.share,
                          found.shown.value(t.beta));
    data += "EOD\n";
    plots += fmt::format("{}{} using 1:2:3 with {} lw 1.2 lc palette notitle", k == 0 ? "plot " : ", \\\n  ", block,
                         t.overlaps.size() > 1 ? "lines" : "points pt 7");
  }
  return fmt::format(
      "{}set title 'density of the overlap q'\nset xlabel 'q'\nset xtics 0.5\nset offsets 0, 0, 0, 0\nset yrange "
      "[0:*]\n{}{}\n",
      data, palette_text(found), plots);
}

/// Correlations along one axis against the distance, a curve a temperature.
std::string correlation_text(const Observation& found, std::uint64_t axis) {
  std::string data, plots;
  for (Index k = 0; k < found.temperatures.size(); ++k) {
    const std::string block = fmt::format("$c{}_{}", axis, k);
    data += block + " << EOD\n";
    for (const ObservedCorrelation& c : found.temperatures[k].correlations)
      if (c.axis == axis)
        data += fmt::format("{} {} {} {}\n", c.distance, c.number.value, c.number.error,
                            found.shown.value(found.temperatures[k].beta));
    data += "EOD\n";
    plots += fmt::format(
        "{}{} using 1:2:4 with lines lw 1.2 lc palette notitle, \\\n  {} using 1:2:3:4 with yerrorbars "
        "pt 7 ps 0.4 lc palette notitle",
        k == 0 ? "plot " : ", \\\n  ", block, block);
  }
  return fmt::format("{}set title 'along axis {}'\nset xlabel 'distance in sites'\n{}\n", data, axis, plots);
}

}  // namespace

std::string correlations_figure(const Observation& found) {
  const std::uint64_t axes = found.temperatures.front().correlations.back().axis + 1;
  std::string body;
  for (std::uint64_t axis = 0; axis < axes; ++axis) body += correlation_text(found, axis);
  return fmt::format(
      "{}{}set multiplot layout 1,{} title \"correlation of sites of layer '{}'; {}\" noenhanced\n"
      "{}unset multiplot\n",
      usual_axes, palette_text(found), axes, found.layer, way_of(found), body);
}

std::string observables_figure(const Observation& found) {
  const std::vector<ObservedPanel> panels = panels_of(found);
  std::string body;
  for (Index p = 0; p < panels.size(); ++p) body += panel_text(found, panels[p], p);
  return fmt::format(
      "{}set key above samplen 2\nset multiplot layout 2,3 title \"layer '{}', {} units; {}{}\" noenhanced\n"
      "{}{}unset multiplot\n",
      usual_axes, found.layer, found.num_units, way_of(found),
      found.num_states ? "" : " (open points: series too short)", body,
      found.temperatures.front().overlaps.empty() ? "" : overlap_text(found));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
