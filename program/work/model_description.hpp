#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <harmonium/framework/run/request.hpp>
#include <harmonium/program/work/pair_choice.hpp>

namespace harmonium {
inline namespace v1 {

struct DescribeModelRequest : CommonRequest {
  std::string model;
};

/// A layer of a model.
struct DescribedLayer {
  std::string name, units;  ///< `units` as a configuration writes them
  std::uint64_t size = 0;
  bool observed = true;
};

/// A tensor of a model's parameters; a symmetric pair of entries is counted once.
struct DescribedTensor {
  std::string name, role;
  std::vector<std::uint64_t> shape;
  std::uint64_t free_entries = 0;           ///< that exist
  double norm = 0.0;                        ///< square root of their sum of squares
  double min = 0.0, max = 0.0, mean = 0.0;  ///< 0 where there are none
};

/// What a model file holds.
struct ModelDescription {
  std::string file, precision, formula, config;  ///< `config`: TOML, as the run took it
  bool checkpoint = false;                       ///< it holds the state of a run too
  std::vector<DescribedLayer> layers;
  std::vector<DescribedTensor> tensors;
  std::uint64_t num_parameters = 0;  ///< free ones
  std::vector<std::uint64_t> sample_shape;
  std::vector<std::string> columns;                             ///< names of the data's; empty: none are known
  std::vector<std::pair<std::string, std::string>> provenance;  ///< what made it, as the file says
};

struct ExportRequest : CommonRequest {
  std::string model, output;  ///< a folder
  bool numbered = false;      ///< units are called by their layer and number, whatever the data calls them
  std::string gauge = {};     ///< that couplings of units of several states are written in; empty: as they are
  bool contacts = false;      ///< `output` is a table of pairs, the strongest first
  PairChoice pairs = {};      ///< of that table
  bool errors = false;        ///< standard errors of the parameters in their place
};

}  // namespace v1
}  // namespace harmonium
