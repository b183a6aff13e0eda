#include <harmonium/program/work/import_arrays.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/archived_config.hpp>
#include <harmonium/framework/files/coupling_matrix.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/npz.hpp>
#include <harmonium/framework/run/tensor_names.hpp>
#include <harmonium/program/work/exported_transform.hpp>
#include <harmonium/program/work/imported_parameters.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

class ModelArrays {
 public:
  ModelArrays(const std::filesystem::path& file, const EnergyModel& model) : file_(file), model_(model) {
    read_.theta.resize(model.parameters().size());
    for (std::string& name : npz_arrays(file)) arrays_.insert(std::move(name));
    arrays_.erase(archived_config_name);
    leave_transform();
  }

  void read() {
    check_names();
    const std::vector<ParameterBlock>& blocks = model_.parameter_layout().blocks();
    for (Index k = 0; k < blocks.size(); ++k) {
      if (blocks[k].role == ParameterRole::edges) edges(blocks[k]);
      else tensor(blocks[k]);
      if (blocks[k].role == ParameterRole::coupling && arrays_.contains(mask_of(blocks[k]))) mask(k);
    }
  }
  ImportedParameters parameters() && { return std::move(read_); }
  /// Which order of several was taken, and what was not, a line each.
  const std::string& remarks() const { return remarks_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw DataError(fmt::format("{}: {}.", file_.string(), why));
  }
  /// A model file has what was made of its data by the side of its parameters; one that is imported has no data.
  void leave_transform() {
    std::vector<std::string> left;
    for (const std::string& name : names_of_transform_arrays(model_.layout()))
      if (!is_tensor(name) && arrays_.erase(name) > 0) left.push_back(name);
    if (!left.empty())
      remarks_ += fmt::format("{} not taken over: data of this model are the z that they make of numbers x\n",
                              fmt::join(left, ", "));
  }
  bool is_tensor(const std::string& name) const {
    return std::ranges::any_of(model_.parameter_layout().blocks(),
                               [&](const ParameterBlock& b) { return b.name == name; });
  }
  /// Throws where arrays are missing, or belong to no part of the model: it names all of them.
  void check_names() const {
    std::set<std::string> left = arrays_;
    std::vector<std::string> missing, strange;
    const auto need = [&](const std::string& name, const std::vector<Index>& shape) {
      if (left.erase(name) == 0) missing.push_back(fmt::format("'{}' {}", name, text_of(shape)));
    };
    for (const ParameterBlock& b : model_.parameter_layout().blocks()) {
      const bool edges = b.role == ParameterRole::edges;
      need(b.name, edges ? std::vector<Index>{b.edges->size()} : shape_of(b));
      if (edges) need(pairs_of(b), {b.edges->size(), 2});
      if (b.role == ParameterRole::coupling) left.erase(mask_of(b));
    }
    for (const NpzShape& array : npz_shapes(file_))
      if (left.erase(array.name) > 0)
        strange.push_back(fmt::format("'{}' ({})", array.name, fmt::join(array.shape, ", ")));
    for (const std::string& name : left) strange.push_back(fmt::format("'{}'", name));  // of no numbers
    if (missing.empty() && strange.empty()) return;
    std::string why;
    if (!missing.empty())
      why = fmt::format("the model needs {}, which {} not there", listed(missing), missing.size() > 1 ? "are" : "is");
    if (!strange.empty())
      why += fmt::format("{}{} {} to no part of the model. {}", why.empty() ? "" : "; ", listed(strange),
                         strange.size() > 1 ? "belong" : "belongs",
                         missing.empty() ? "Leave out what the model has not"
                                         : "Call each array as the model does, and leave out what it has not");
    refuse(why);
  }
  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 30;
    const auto first = std::span(names).first(std::min(names.size(), most));
    const std::size_t more = names.size() - first.size();
    return fmt::format("{}{}", fmt::join(first, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
  }
  static std::string pairs_of(const ParameterBlock& b) { return b.name + ".pairs"; }
  /// A vector may be a matrix of one column.
  void check_shape(const std::string& name, const Table& table, const std::vector<Index>& shape) const {
    std::vector<Index> found = table.shape;
    if (found.size() == 2 && shape.size() == 1 && found[1] == 1) found.pop_back();
    if (found != shape)
      refuse(fmt::format("the array '{}' has shape {}, and the model needs {}", name, text_of(table.shape),
                         text_of(shape)));
  }
  /// Of J[unit, unit, state, state] what lies as J[unit, state, unit, state].
  static Table with_states_beside_units(const Table& table, Index n, Index q) {
    std::vector<double> values(n * q * n * q);
    for (Index at = 0; at < values.size(); ++at) {
      const Index t = at % q, s = at / q % q, v = at / (q * q) % n, u = at / (q * q * n);
      values[((u * q + s) * n + v) * q + t] = table.at(at / table.cols, at % table.cols);
    }
    return {n, q * n * q, std::move(values), {n, q, n, q}};
  }
  /// The numbers of couplings, or of their mask. Within a layer of units of several states they may lie as
  /// J[unit, state, unit, state], which is their matrix, or as J[unit, unit, state, state] where the shape tells the two apart.
  Table matrix(const std::string& name, const ParameterBlock& b) {
    Table table = read_npy(file_, name);
    const Layer& layer = model_.layout()[b.layers[0]];
    const Index n = layer.size, q = layer.unit->width();
    if (q > 1 && b.symmetry == Symmetry::symmetric_zero_diagonal) {
      const bool units_first = table.shape == std::vector<Index>{n, n, q, q};
      if (units_first && n != q) {
        remarks_ +=
            fmt::format("'{}' of shape {} was read as [unit, unit, state, state]\n", name, text_of(table.shape));
        table = with_states_beside_units(table, n, q);
      } else if (units_first)
        refuse(fmt::format("the array '{}' has shape {}, and the model needs {}, {}", name, text_of(table.shape),
                           text_of(shape_of(b)), order_of_state_couplings(n, q)));
      if (table.shape == std::vector<Index>{n, q, n, q}) {
        table.rows = b.rows;
        table.cols = b.cols;
        table.shape = shape_of(b);
      }
    }
    check_shape(name, table, shape_of(b));
    return table;
  }
  Real number(const std::string& name, const Table& table, Index at) const {
    const double value = table.at(at / table.cols, at % table.cols);
    if (!std::isfinite(static_cast<Real>(value)))
      refuse(fmt::format("the array '{}' holds {} at row {}, column {}: not a finite number", name, value,
                         at / table.cols, at % table.cols));
    return static_cast<Real>(value);
  }
  /// Whether the table has a row a unit of the tensor's layer and a column a state.
  bool has_row_a_unit(const ParameterBlock& b, const Table& table) const {
    if (b.role != ParameterRole::bias || table.shape.size() != 2) return false;
    const Layer& layer = model_.layout()[b.layers[0]];
    return table.rows == layer.size && table.cols == layer.unit->width();
  }
  void tensor(const ParameterBlock& b) {
    const Table table = b.role == ParameterRole::coupling ? matrix(b.name, b) : read_npy(file_, b.name);
    if (!has_row_a_unit(b, table)) check_shape(b.name, table, shape_of(b));
    for (Index i = 0; i < b.size(); ++i) read_.theta[b.offset + i] = number(b.name, table, i);
  }
  void mask(Index tensor) {
    const ParameterBlock& b = model_.parameter_layout()[tensor];
    const std::string name = mask_of(b);
    const Table table = matrix(name, b);
    std::vector<std::uint8_t>& own = read_.masks[tensor];
    for (Index i = 0; i < b.size(); ++i) own.push_back(number(name, table, i) != 0 ? 1 : 0);
    check_absent(file_.string(), b, read_.theta, own, fmt::format("'{}'", name));
  }
  void edges(const ParameterBlock& b) {
    const std::string name = pairs_of(b);
    const std::vector<Index> count{b.edges->size()}, two{b.edges->size(), 2};
    const Table values = read_npy(file_, b.name), units = read_npy(file_, name);
    check_shape(b.name, values, count);
    check_shape(name, units, two);
    ImportedEdgeValues shared(b, read_.theta);
    for (Index e = 0; e < b.edges->size(); ++e) {
      const Edge& edge = (*b.edges)[e];
      if (units.at(e, 0) != edge.a || units.at(e, 1) != edge.b)
        refuse(fmt::format("row {} of '{}' is {}, {}, where the model has {}, {}", e, name, units.at(e, 0),
                           units.at(e, 1), edge.a, edge.b));
      const Real value = number(b.name, values, e);
      if (!shared.take(edge, value))
        refuse(fmt::format("'{}' is {} at row {}, {}", b.name, value, e, other_value_than_shared));
    }
  }

  const std::filesystem::path& file_;
  const EnergyModel& model_;
  std::set<std::string> arrays_;  ///< but for the configuration
  ImportedParameters read_;
  std::string remarks_;
};

}  // namespace

std::string read_exported_arrays(const std::filesystem::path& file, EnergyModel& model) {
  ModelArrays arrays(file, model);
  arrays.read();
  std::string remarks = arrays.remarks();
  put_parameters(file.string(), std::move(arrays).parameters(), model);
  return remarks;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
