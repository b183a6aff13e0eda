#include <harmonium/program/work/ground_state_file.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/atomic_file.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/command_options.hpp>
#include <harmonium/program/work/fasta_samples.hpp>
#include <harmonium/program/work/table_samples.hpp>
#include <harmonium/program/work/unit_states.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void append_columns(const Chains& state, const Layout& layout, LayerSet layers, std::vector<Real>& row) {
  for (const LayerId l : layout.ids(layers)) {
    const std::span<const Real> own = state.read(l)[0];
    row.insert(row.end(), own.begin(), own.end());
  }
}

void write_columns_of(const std::string& output, std::span<const Real> row, const Layout& layout,
                      const ModelHeader& header) {
  std::vector<std::string> names = names_of_observed(header, layout);
  if (names.empty()) names = names_of_units(layout, layout.observed());
  const std::vector<std::string> others = names_of_units(layout, layout.latent());
  names.insert(names.end(), others.begin(), others.end());
  RowWriter<Real> file(output, 1, row.size(), names);
  file.write({row.data(), 1, row.size(), row.size()});
  file.commit();
}

void write_states_of(const std::string& output, std::span<const Real> row, const Layout& layout,
                     const ModelHeader& header) {
  const std::vector<UnitOfRow> units = units_observed_first(layout);
  if (std::filesystem::path(output).extension() == ".csv") {
    std::vector<std::string> names = names_of_state_columns(header, layout);
    for (const LayerId l : layout.ids(layout.latent()))
      for (Index u = 0; u < layout[l].size; ++u) names.push_back(fmt::format("{}[{}]", layout[l].name, u));
    write_file_atomically(output, csv_line(names) + csv_line(state_fields(units, row, class_words(header.config))));
    return;
  }
  const auto write = [&]<class T>(T) {
    std::vector<T> states;
    states.reserve(units.size());
    for (const UnitOfRow& unit : units) states.push_back(static_cast<T>(unit.state(row)));
    write_npy(output, MatrixView<const T>{states.data(), 1, states.size(), states.size()});
  };
  if (have_byte_states(units)) write(std::uint8_t{});
  else write(Real{});
}

}  // namespace

void check_ground_state_output(const EvaluateRequest& request) {
  if (!is_fasta(request.ground_state)) check_table_name(request.ground_state, "--ground-state", "the state is");
  if (request.ground_state == request.rows)
    throw ConfigError(
        fmt::format("--ground-state {}: --rows writes a file of this name. Give another one.", request.ground_state));
  check_output(request.ground_state, {request.model, request.data}, "--ground-state");
}

void check_ground_state_form(const EvaluateRequest& request, const ModelHeader& header, const Layout& layout) {
  if (request.ground_state_states) check_states(header, layout, layout.all(), request.ground_state, "--ground-state");
  if (is_fasta(request.ground_state)) letters_of(header, layout, request.ground_state, "--ground-state");
}

void write_ground_state(const EvaluateRequest& request, const Evaluation& found, const std::optional<Chains>& state,
                        const Layout& layout, const ModelHeader& header, const DataUnits& units) {
  if (!state)
    throw CapabilityError(
        fmt::format("--ground-state {}: no state of the lowest energy was found.", request.ground_state));
  if (request.ground_state_below && found.ground_state_energy >= request.ground_state_below) return;
  std::vector<Real> row;
  append_columns(*state, layout, layout.observed(), row);
  units.undo(MatrixRef{row.data(), 1, row.size(), row.size()});
  if (is_fasta(request.ground_state)) {
    const std::string letters = letters_of(header, layout, request.ground_state, "--ground-state");
    write_file_atomically(request.ground_state, fmt::format(">ground_state energy={:.10g}\n{}\n",
                                                            *found.ground_state_energy, sequence_of(row, letters)));
  } else {
    append_columns(*state, layout, layout.latent(), row);
    if (request.ground_state_states) write_states_of(request.ground_state, row, layout, header);
    else write_columns_of(request.ground_state, row, layout, header);
  }
  if (request.num_betas == 1) tell_of_ground_state(request.ground_state, found, request.display);
}

void tell_of_ground_state(const std::string& file, const Evaluation& found, Display* display) {
  if (found.ground_state_certain || !display) return;
  display->warn(
      fmt::format("{}: the lowest energy that was met, {:.10g}. There may be lower ones: more --effort or a greater "
                  "--beta looks further.",
                  file, *found.ground_state_energy));
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
