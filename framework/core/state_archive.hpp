#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// The sizes of a run by which a component says how long its fields must be, where it does not know them itself.
struct StateSizes {
  Index parameters = 0;             ///< entries of θ
  Index moved = 0;                  ///< entries of what the optimizer moves: θ, and the estimator's own parameters
  std::vector<Index> columns = {};  ///< of each layer
  Index rows = 0;                   ///< of the training data

  Index all_columns() const {
    Index sum = 0;
    for (const Index n : columns) sum += n;
    return sum;
  }
};

/// How many values a field must come back with.
class FieldSize {
 public:
  FieldSize(Index exactly) : most_(exactly), exact_(true) {}  // NOLINT(google-explicit-constructor)
  /// Any number up to `most`, 0 among them, that is a multiple of `step`: for fields whose number is part of the state.
  static FieldSize up_to(Index most, Index step = 1) { return {most, step}; }

  bool takes(Index size) const { return exact_ ? size == most_ : size <= most_ && size % step_ == 0; }
  std::string summary() const;

 private:
  FieldSize(Index most, Index step) : most_(most), step_(step) {}
  Index most_, step_ = 1;
  bool exact_ = false;
};

/// What a component remembers between calls, in both directions through one function:
///   void state(StateArchive& a) { a.field("count", count_); a.field("mean", mean_, a.sizes().parameters); }
/// A saving archive takes the values, a loading one puts them back. What is loaded may come from a damaged file: a field
/// that is absent, of another kind or size, or not finite is a DataError that names it, and so is what `refuse` is
/// called for. The size that a vector must have is stated where it is loaded; it is not looked at in saving.
class StateArchive {
 public:
  using Field =
      std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint64_t>, std::vector<std::uint8_t>>;
  using Fields = std::map<std::string, Field, std::less<>>;

  StateArchive() = default;  ///< saves
  /// Loads `fields` into the components of a run of `sizes`.
  StateArchive(Fields fields, StateSizes sizes) : loading_(true), saved_(std::move(fields)), sizes_(std::move(sizes)) {}

  bool loading() const { return loading_; }
  /// Of the run that is loaded into; zeros in saving.
  const StateSizes& sizes() const { return sizes_; }
  /// What has been saved: path of a field → its values; paths are joined by '/'. Nothing in loading.
  const Fields& fields() const { return fields_; }
  /// Path of the group that is being visited, ending in '/'; empty at the top.
  const std::string& prefix() const { return prefix_; }
  /// In loading: whether anything was saved in the group `name` of the present one.
  bool has_group(std::string_view name) const;
  /// In loading: a field that was saved and that nobody has asked for; empty where there is none.
  std::string unread() const;
  /// Throws DataError: "the saved state of 'PATH' WHY".
  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;

  void field(std::string_view name, double& value);
  void field(std::string_view name, std::uint64_t& value);
  void field(std::string_view name, std::uint32_t& value);
  void field(std::string_view name, bool& value);
  /// A field that may have no values may be absent, too: a file does not keep it then.
  void field(std::string_view name, std::vector<double>& values, FieldSize size);
  void field(std::string_view name, std::vector<float>& values, FieldSize size);
  void field(std::string_view name, std::vector<std::uint8_t>& values, FieldSize size);
  void field(std::string_view name, std::vector<std::uint64_t>& values, FieldSize size);
  void field(std::string_view name, std::vector<std::uint32_t>& values, FieldSize size);

  /// A vector that is empty until its component first works, and of `size` from then on. Which of the two it is is kept
  /// beside it as NAME_set, so that one that was lost is not taken for one that was never set.
  template <class T>
  void late_field(std::string_view name, std::vector<T>& values, Index size) {
    bool set = !values.empty();
    field(std::string(name) + "_set", set);
    field(name, values, set ? size : 0);
  }

  /// The state of a part, under its name.
  template <class Component>
  void group(std::string_view name, Component& component) {
    const std::string outer = prefix_;
    prefix_ += std::string(name) + "/";
    component.state(*this);
    prefix_ = outer;
  }

 private:
  template <class Stored, class T>
  void exchange(std::string_view name, std::vector<T>& values, FieldSize size);
  template <class Stored, class T>
  void exchange_one(std::string_view name, T& value);

  bool loading_ = false;
  std::string prefix_;
  Fields fields_, saved_;
  std::set<std::string, std::less<>> read_;
  StateSizes sizes_;
};

}  // namespace v1
}  // namespace harmonium
