#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <harmonium/framework/core/function_ref.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/inference/sampler.hpp>
#include <harmonium/framework/pictures/tiles.hpp>
#include <harmonium/framework/run/picture_walk.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// A picture and what it shows, in a line of ASCII: what its tiles are and what black and white, or blue and red, stand
/// for.
struct Picture {
  Image image;
  std::string caption;
};
void write_picture(const std::filesystem::path& path, const Picture& picture);

/// What vectors look like and how many there are.
struct PictureStyle {
  std::vector<Index> sample_shape;          ///< dimensions of a row of data, where they are known
  std::optional<std::vector<Index>> shape;  ///< those asked for, which every vector must have; one or two
  Index count = 0;                          ///< items at most; 0: the usual number, or fewer where they are large
  Index columns = 0;                        ///< items beside one another; 0: what gives a good shape
  std::string units;                        ///< of rows, "standardized data"; empty: those of the file
  double beta = 1.0;                        ///< inverse temperature of samples and chains
};

/// The rows of a table, evenly spread over it. Where the class of each row is given, tiles have as many of the first columns as the
/// style's shape has values, and the line tells the class of each tile.
Picture draw_rows(const Table& table, const std::string& name, const PictureStyle& style,
                  std::span<const Index> classes = {});
/// Rows of a data set as the model is given them, evenly spread, with the mean of its column for what is missing.
Picture draw_data(const EnergyModel& model, const Dataset& data, const PictureStyle& style);

/// The coupling whose filters are drawn where nobody chose: the largest that joins an observed with a latent layer; of a stack
/// that of its first machine.
std::optional<Index> filter_tensor(const EnergyModel& model);
/// A tile for each unit of a layer: its couplings to the layer that is observed, or comes first. A tensor of one column
/// is one tile.
Picture draw_filters(const EnergyModel& model, Index tensor, const PictureStyle& style);

/// Rows of data and, below each, E[v | ĥ], ĥ = E[h | v]. Needs `offers_reconstruction`.
Picture draw_reconstructions(const EnergyModel& model, const Dataset& data, const PictureStyle& style,
                             const Executor& executor);

/// Told the share of the work that is done; throws to end it.
using PictureProgress = FunctionRef<void(double)>;

/// Chains, one an item, after `steps` transitions from the biases alone. Drawn are E[v | h], where the observed units are
/// independent given the latent ones, else v.
/// Where units are held that go through their states, a row for each of these.
Picture draw_samples(const EnergyModel& model, Sampler& sampler, Index steps, const PictureStyle& style,
                     const Execution& execution, PictureProgress progress, const PictureHold* hold = nullptr);
/// A chain a row, from left to right: where it starts, and equally many transitions between two columns, `steps` in
/// all or a few less. They start from rows of `data`, or from the biases where it is null.
Picture draw_chains(const EnergyModel& model, Sampler& sampler, const Dataset* data, Index steps,
                    const PictureStyle& style, const Execution& execution, PictureProgress progress,
                    const PictureHold* hold = nullptr);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
