#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/transform.hpp>
#include <harmonium/framework/files/csv_names.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/plugin/registries.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What a model file says of where its model comes from: the data that it was trained on, and plugins.
struct ModelOrigin {
  std::vector<DataFile> files = {};          ///< with their SHA-256
  std::span<const Index> sample_shape = {};  ///< dimensions of a row; empty: unknown
  const Transform* transform = nullptr;      ///< what was made of the rows; null: nothing
  std::string plugins = {};                  ///< names and versions; empty: none
  CsvNames names = {};                       ///< of the data's columns; none: it has no header
  /// Updates after which its run ended; none: it is the model of no run, or of one that goes on.
  std::optional<std::uint64_t> updates = {};
};

/// Parameters that are kept for a figure: those that a model had at an earlier update of its run.
struct KeptParameters {
  std::span<const Real> theta;
  std::string metric;
  double value = 0.0;
  std::uint64_t epoch = 0, update = 0;  ///< counted from 1
};

/// Writes the model to an HDF5 file that explains itself (docs/file_format.md): whole or not at all, its SHA-256 beside it.
/// `config` is the effective configuration that the model was made from. `state`, where given, makes it a checkpoint. Throws
/// ConfigError, and writes nothing, where `config` is of another precision, or its [model] makes of `registries` a model of
/// other layers or tensors: such a file could never be read.
void save_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                const Registries& registries, const ModelOrigin& origin = {},
                const StateArchive::Fields* state = nullptr);
/// The same without that check, for who made the model from `config` with his own hands.
void write_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                 const ModelOrigin& origin = {}, const StateArchive::Fields* state = nullptr);
/// The same of `model` as it was with other parameters, and what they were kept for.
void write_model(const std::filesystem::path& path, const EnergyModel& model, const Value& config,
                 const ModelOrigin& origin, const KeptParameters& kept);

/// The model that a file describes, with its parameters. Throws DataError where tensors are missing, have another shape,
/// are not finite, or are left over.
std::unique_ptr<EnergyModel> load_model(const std::filesystem::path& path, const ModelHeader& header,
                                        const Registries& registries);
/// The masks that a file has of a model's couplings, by the positions of their tensors. Throws DataError where one has another
/// shape than its tensor.
std::map<Index, std::vector<std::uint8_t>> load_masks(const std::filesystem::path& path, const ParameterLayout& layout);
/// Puts the tensors of the group `parameters` into a model that is there already.
void load_parameters(const std::filesystem::path& path, EnergyModel& model);
/// What the rows that a model was trained on are of the data's; null where they are the same. Throws DataError.
std::shared_ptr<const Transform> load_transform(const std::filesystem::path& path);
/// Throws CapabilityError where entries of the data are missing.
void check_complete(const Dataset& data);
/// The rows that the [data] table `spec` names, as the model of a file observes them: transformed as those it was trained
/// on, with columns for its label layer. Throws as the reader, `fitted` and check_complete do.
Dataset load_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                  const Registries& registries, const RandomSource& random);
/// The same for rows whose entries may be missing.
Dataset load_rows_with_holes(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                             const Registries& registries, const RandomSource& random);
/// The same for rows whose entries may be missing and, where the model has a layer for them, labels too: without labels
/// they have the other observed columns alone.
Dataset load_partial_rows(const std::filesystem::path& path, const Value& spec, const Layout& layout,
                          const Registries& registries, const RandomSource& random);
/// The same of rows that are read already, as their file has them.
Dataset partial_rows(const std::filesystem::path& path, const Dataset& data, const Layout& layout);
/// The data of the run that a model file is of, dealt as the run dealt it and as the model observes it. `config` is that of
/// the file. Throws as the reader does, and DataError where the data files are others than the run's.
DataSplits load_own_splits(const std::filesystem::path& path, const Value& config, const Layout& layout,
                           const Registries& registries);
/// A transform as one of all observed columns, those of a label layer left as they are. Throws DataError where it is of
/// other columns than the model's.
std::shared_ptr<const Transform> of_observed(const std::shared_ptr<const Transform>& transform, const Layout& layout,
                                             const std::string& file);
/// The state that a checkpoint holds. Throws DataError where a field of it is no vector of numbers.
StateArchive::Fields load_state(const std::filesystem::path& path);
/// Throws DataError where the data files are others than those the model file names by their SHA-256.
void check_same_data(const std::filesystem::path& path, const std::vector<DataFile>& files);

/// Writes one dataset a tensor of `values` (laid out as θ) into a group.
void write_tensors(Hdf5File& file, const std::string& group, const ParameterLayout& layout,
                   std::span<const double> values);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
