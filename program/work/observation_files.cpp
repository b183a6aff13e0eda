#include <harmonium/program/work/observation_files.hpp>

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/output_folder.hpp>
#include <harmonium/framework/pictures/gnuplot.hpp>
#include <harmonium/program/work/local_files.hpp>
#include <harmonium/program/work/temperature_fields.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

namespace {

/// Those of the layer as a whole, and the squares of local means.
std::vector<ObservedNumber> numbers_of(const ObservedTemperature& t) {
  std::vector<ObservedNumber> numbers = t.numbers;
  numbers.insert(numbers.end(), t.local.squares.begin(), t.local.squares.end());
  return numbers;
}

/// The autocorrelation time and its error: nothing where the series do not tell it, or there are none, as of a sum over all states.
std::string time_fields(const ObservedNumber& n) {
  const auto& time = n.autocorrelation_time;
  return time ? fmt::format("{},{}", time->value, time->error) : ",";
}

/// What log Z differs by from that of a hotter temperature, its error and its interval; nothing where there is none.
std::string log_z_fields(const std::optional<ObservedLogZ>& ratio) {
  return ratio ? fmt::format(",{},{},{},{}", ratio->value, ratio->error, ratio->low, ratio->high) : ",,,,";
}

}  // namespace

std::string observables_csv(const Observation& found) {
  std::string text = temperature_names;
  for (const ObservedNumber& n : numbers_of(found.temperatures.front()))
    text += fmt::format(",{0},{0}_error,{0}_tau,{0}_tau_error", n.name);
  const bool several = found.temperatures.size() > 1;
  if (several)
    for (const char* name : {"log_z_from_hottest", "log_z_from_hotter"})
      text += fmt::format(",{0},{0}_error,{0}_low,{0}_high", name);
  text += ",exchange_rate,too_short\n";
  for (const ObservedTemperature& t : found.temperatures) {
    text += temperature_fields(t.beta);
    std::vector<std::string> too_short;
    for (const ObservedNumber& n : numbers_of(t)) {
      text += fmt::format(",{},{},{}", n.value, n.error, time_fields(n));
      if (!n.long_enough) too_short.push_back(n.name);
    }
    if (several) text += log_z_fields(t.log_z_from_hottest) + log_z_fields(t.log_z_from_hotter);
    if (t.log_z_from_hottest && !t.log_z_from_hottest->long_enough) too_short.emplace_back("log_z_from_hottest");
    if (t.log_z_from_hotter && !t.log_z_from_hotter->long_enough) too_short.emplace_back("log_z_from_hotter");
    text +=
        fmt::format(",{},{}\n", t.exchange_rate ? fmt::format("{}", *t.exchange_rate) : "", fmt::join(too_short, " "));
  }
  return text;
}

std::string overlaps_csv(const Observation& found) {
  std::string text = temperature_names + std::string(",q_low,q_high,share,error,density,too_short\n");
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedOverlap& o : t.overlaps)
      text += fmt::format("{},{},{},{},{},{},{}\n", temperature_fields(t.beta), o.low, o.high, o.share,
                          std::isnan(o.error) ? "" : fmt::format("{}", o.error),
                          o.width > 0.0 ? fmt::format("{}", o.density()) : "", o.long_enough ? 0 : 1);
  return text;
}

std::string correlations_csv(const Observation& found) {
  std::string text = temperature_names + std::string(",axis,distance,correlation,error,tau,tau_error,too_short\n");
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedCorrelation& c : t.correlations)
      text += fmt::format("{},{},{},{},{},{},{}\n", temperature_fields(t.beta), c.axis, c.distance, c.number.value,
                          c.number.error, time_fields(c.number), c.number.long_enough ? 0 : 1);
  return text;
}

std::string magnetizations_csv(const Observation& found) {
  std::string text = temperature_names + std::string(",m,share\n");
  for (const ObservedTemperature& t : found.temperatures)
    for (const ObservedMagnetization& m : t.magnetizations)
      text += fmt::format("{},{},{}\n", temperature_fields(t.beta), m.m, m.share);
  return text;
}

void check_folder_of_observation(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path place = folder;
  check_output_folder(place);
  if (fs::exists(place, error)) {
    remove_left_partials(place);
  } else {
    place = fs::path(folder + "/.").lexically_normal().parent_path();
    while (!place.empty() && !fs::exists(place, error)) place = place.parent_path();
    if (place.empty()) place = ".";
    if (!fs::is_directory(place, error))
      throw FileError(
          fmt::format("--output {}: {} is a file. Give another name for the folder.", folder, place.string()));
  }
  if (::access(place.c_str(), W_OK) != 0)
    throw FileError(fmt::format("--output {}: nothing can be made in {}: {}. Give another folder.", folder,
                                place.string(), std::strerror(errno)));
}

std::vector<std::string> write_observation(const Observation& found, const std::filesystem::path& folder,
                                           Display* display) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_to_create(folder, error);
  std::vector<std::string> files;
  const auto write = [&](const char* name, const std::string& content) {
    write_file_atomically(folder / name, content);
    files.push_back((folder / name).string());
  };
  write("observables.csv", observables_csv(found));
  const bool correlated = !found.temperatures.front().correlations.empty();
  for (const char* left : {"overlaps.csv", "magnetizations.csv", "correlations.csv", "correlations.svg",
                           "correlations.png", "correlations.gp", "units.csv", "pairs.csv", "frequencies.csv"})
    std::filesystem::remove(folder / left, error);  // of other settings
  if (!found.temperatures.front().overlaps.empty()) write("overlaps.csv", overlaps_csv(found));
  if (!found.temperatures.front().magnetizations.empty()) write("magnetizations.csv", magnetizations_csv(found));
  if (correlated) write("correlations.csv", correlations_csv(found));
  if (!found.temperatures.front().local.units.empty()) write("units.csv", units_csv(found));
  if (!found.temperatures.front().local.pairs.empty()) write("pairs.csv", pairs_csv(found));
  if (!found.temperatures.front().local.frequencies.empty()) write("frequencies.csv", frequencies_csv(found));
  if (const auto gnuplot = find_gnuplot()) {
    draw_figure(*gnuplot, folder / "observables", observables_figure(found), {1200, 720});
    files.push_back((folder / "observables.svg").string());
    if (correlated) {
      draw_figure(*gnuplot, folder / "correlations", correlations_figure(found), {900, 480});
      files.push_back((folder / "correlations.svg").string());
    }
  } else if (display) {
    display->warn(without_gnuplot("there are tables, but no figure"));
  }
  return files;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
