#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// What a component remembers between calls, in both directions through one function:
///   void state(StateArchive& a) { a.field("count", count_); a.group("inner", inner_); }
/// A saving archive takes the values, a loading one puts them back; a vector must come back with the size it has then
/// (`sized` lets it differ). Throws DataError, naming the field, where a field is absent or of another kind or size.
class StateArchive {
 public:
  using Field =
      std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint64_t>, std::vector<std::uint8_t>>;
  using Fields = std::map<std::string, Field, std::less<>>;

  StateArchive() = default;  ///< saves
  explicit StateArchive(Fields fields) : loading_(true), fields_(std::move(fields)) {}

  bool loading() const { return loading_; }
  /// Path of a field → its values; paths are joined by '/'.
  const Fields& fields() const { return fields_; }
  /// Path of the group that is being visited, ending in '/'; empty at the top.
  const std::string& prefix() const { return prefix_; }

  void field(std::string_view name, double& value);
  void field(std::string_view name, std::uint64_t& value);
  void field(std::string_view name, std::uint32_t& value);
  void field(std::string_view name, bool& value);
  void field(std::string_view name, std::vector<double>& values);
  void field(std::string_view name, std::vector<float>& values);
  void field(std::string_view name, std::vector<std::uint8_t>& values);
  void field(std::string_view name, std::vector<std::uint64_t>& values);
  void field(std::string_view name, std::vector<std::uint32_t>& values);

  /// Fields whose number is part of the state.
  template <class T>
  void sized(std::string_view name, std::vector<T>& values) {
    free_size_ = true;
    field(name, values);
    free_size_ = false;
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
  void exchange(std::string_view name, std::vector<T>& values);
  template <class Stored, class T>
  void exchange_one(std::string_view name, T& value);

  bool loading_ = false, free_size_ = false;
  std::string prefix_;
  Fields fields_;
};

}  // namespace v1
}  // namespace harmonium
