#include <harmonium/program/work/sample_file.hpp>

#include <filesystem>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/row_writer.hpp>
#include <harmonium/framework/run/column_names.hpp>
#include <harmonium/framework/training/fitted_data.hpp>
#include <harmonium/program/work/columns_by_name.hpp>
#include <harmonium/program/work/fasta_samples.hpp>
#include <harmonium/program/work/state_samples.hpp>
#include <harmonium/program/work/table_samples.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string energies_path(const SampleRequest& request) {
  const std::filesystem::path output = request.output;
  if (!request.energies || output.extension() != ".npy") return "";
  return (output.parent_path() / (output.stem().string() + ".energies.npy")).string();
}

std::vector<std::string> sample_names(const SamplingPlan& plan) {
  const ModelHeader& header = plan.header();
  if (header.column_names.empty()) return {};
  const Layout& layout = plan.model().layout();
  const Index labels = label_columns(layout);
  if (header.column_names.size() + labels != plan.columns())
    throw DataError(fmt::format("{}: its root attribute '{}' names {} columns, but its model observes {}",
                                plan.request().model, column_names_attribute, header.column_names.size(),
                                plan.columns() - labels));
  return names_of_observed(header, layout);
}

void write_samples(const SamplingPlan& plan, const Sampling& sampling) {
  const SampleRequest& request = plan.request();
  if (request.states) {
    write_state_samples(plan, sampling);
    return;
  }
  const std::filesystem::path output = request.output;
  const Index columns = plan.columns();
  const ConstMatrixRef rows{sampling.samples().data(), request.num_samples, columns, columns};
  const std::vector<double>& energies = sampling.energies();
  const std::string extension = output.extension().string();
  if (extension == ".npy") {
    if (request.energies) write_npy_vector(energies_path(request), energies);
    write_npy(output, rows);
  } else if (extension == ".csv") {
    if (!request.raw && is_table(plan.header())) {
      write_table_samples(plan, sampling);
      return;
    }
    std::vector<std::string> names = sample_names(plan);
    const Layout& layout = plan.model().layout();
    if (names.empty()) names = names_of_units(layout, layout.observed());
    if (request.energies) names.emplace_back("energy");
    RowWriter<Real> file(output, rows.rows, columns, names);
    file.write(rows, energies);
    file.commit();
  } else if (is_fasta(request.output)) {
    write_fasta_samples(plan, sampling);
  } else {
    Hdf5File h5 = Hdf5File::create(output);
    h5.write<Real>("samples", sampling.samples(), {request.num_samples, columns});
    if (request.energies) h5.write<double>("energies", energies, {request.num_samples});
    h5.close();
  }
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
