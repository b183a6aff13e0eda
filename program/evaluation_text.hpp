#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <harmonium/program/work/findings.hpp>
#include <harmonium/program/work/shown_temperature.hpp>

namespace harmonium {
inline namespace v1 {

/// What `evaluate` found, as tables for people: of one set of rows or of a model alone, of each part of a run's data, and at
/// several temperatures; and as JSON.
std::string evaluation_text(const Evaluation& e, double beta);
std::string splits_text(const Evaluations& all, double beta);

/// A table of a line a temperature, each of which can be shown as soon as it is known. What its columns are the first evaluation
/// decides.
class AlongTable {
 public:
  AlongTable(const Evaluation& first, ShownTemperature shown);
  std::string head() const;
  std::string row(double beta, const Evaluation& e) const;
  /// What stands below: the ground state, and why figures are absent.
  std::string foot(const std::vector<std::pair<double, Evaluation>>& all) const;

 private:
  bool data_, energies_, held_, conditional_;
  ShownTemperature shown_;
};
std::string evaluations_json(const Evaluations& all, double beta);
std::string along_json(const std::vector<std::pair<double, Evaluation>>& all);

/// Whether a figure is one of the energy, which are shown of a model that is judged alone.
bool about_energy(std::string_view figure);

}  // namespace v1
}  // namespace harmonium
