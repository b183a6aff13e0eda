#include <harmonium/program/work/ground_state_file.hpp>

#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void append_columns(const Chains& state, const Layout& layout, LayerSet layers, std::vector<Real>& row) {
  for (const LayerId l : layout.ids(layers)) {
    const std::span<const Real> own = state.read(l)[0];
    row.insert(row.end(), own.begin(), own.end());
  }
}

}  // namespace

void check_ground_state_output(const EvaluateRequest& request) {
  check_table_name(request.ground_state, "--ground-state", "the state is");
  if (request.ground_state == request.rows)
    throw ConfigError(
        fmt::format("--ground-state {}: --rows writes a file of this name. Give another one.", request.ground_state));
  check_output(request.ground_state, {request.model, request.data}, "--ground-state");
}

void write_ground_state(const EvaluateRequest& request, const Evaluation& found, const std::optional<Chains>& state,
                        const Layout& layout, const ModelHeader& header, const DataUnits& units) {
  if (!state)
    throw CapabilityError(
        fmt::format("--ground-state {}: no state of the lowest energy was found.", request.ground_state));
  if (request.ground_state_below && found.ground_state_energy >= request.ground_state_below) return;
  const LayerSet observed = layout.observed(), latent = layout.all() - observed;
  std::vector<Real> row;
  append_columns(*state, layout, observed, row);
  units.undo(MatrixRef{row.data(), 1, row.size(), row.size()});
  append_columns(*state, layout, latent, row);

  std::vector<std::string> names = names_of_observed(header, layout);
  if (names.empty()) names = names_of_units(layout, observed);
  const std::vector<std::string> others = names_of_units(layout, latent);
  names.insert(names.end(), others.begin(), others.end());
  RowWriter<Real> file(request.ground_state, 1, row.size(), names);
  file.write({row.data(), 1, row.size(), row.size()});
  file.commit();
  if (request.num_betas == 1) tell_of_ground_state(request.ground_state, found, request.display);
}

void tell_of_ground_state(const std::string& file, const Evaluation& found, Display* display) {
  if (found.ground_state_certain || !display) return;
  display->warn(
      fmt::format("{}: the lowest energy that was met, {:.10g}. There may be lower ones; more --effort looks further.",
                  file, *found.ground_state_energy));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
