#include <harmonium/program/work/shrunk_model.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <harmonium/program/work/component_recorder.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// A whole number among the options of a component. In a list it may be kept as a real one.
struct WholeNumber {
  std::string path;
  Value* value;

  std::int64_t get() const {
    const auto* whole = std::get_if<std::int64_t>(&value->data);
    return whole ? *whole : static_cast<std::int64_t>(std::get<double>(value->data));
  }
  void set(std::int64_t to) const {
    if (std::holds_alternative<double>(value->data)) value->data = static_cast<double>(to);
    else value->data = to;
  }
};

void find_numbers(Value& value, const std::string& path, std::vector<WholeNumber>& out) {
  if (value.is_table()) {
    for (auto& [key, inner] : std::get<Value::Table>(value.data))
      find_numbers(inner, path.empty() ? key : path + "." + key, out);
  } else if (value.is_list()) {
    Index i = 0;
    for (Value& inner : std::get<Value::List>(value.data)) find_numbers(inner, fmt::format("{}[{}]", path, i++), out);
  } else if (const auto* real = std::get_if<double>(&value.data)) {
    if (*real == std::floor(*real) && std::abs(*real) < 1e9) out.push_back({path, &value});
  } else if (std::holds_alternative<std::int64_t>(value.data)) {
    out.push_back({path, &value});
  }
}

/// log₂ of the number of states, a continuous unit counting as two; nothing where there is no such model.
std::optional<double> size_of(const Registries& registries, const Value& spec) {
  try {
    const auto model = make_of<EnergyModel>(registries, spec);
    double bits = 0.0;
    for (const Layer& layer : model->layout().layers())
      bits += static_cast<double>(layer.size) * std::log2(std::max(2.0, static_cast<double>(layer.unit->num_states())));
    return bits;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

Value shrunk_model(const Registries& registries, const Value& spec, std::string& changes) {
  constexpr double aim = 9.0;
  Value small = spec;
  std::vector<WholeNumber> numbers;
  find_numbers(small, "", numbers);
  std::vector<std::int64_t> before;
  before.reserve(numbers.size());
  for (const auto& number : numbers) before.push_back(number.get());
  std::optional<double> size = size_of(registries, small);
  for (bool smaller = true; smaller && size && *size > aim;) {
    smaller = false;
    std::ranges::stable_sort(numbers, std::greater{}, &WholeNumber::get);
    for (const auto& number : numbers) {
      const std::int64_t old = number.get();
      for (const std::int64_t next : {(old + 1) / 2, (old + 1) / 2 + 1, old - 2, old - 1}) {
        if (next < 1 || next >= old) continue;
        number.set(next);
        const std::optional<double> other = size_of(registries, small);
        smaller = other && *other < *size;
        if (smaller) size = other;
        if (smaller) break;
        number.set(old);
      }
      if (smaller) break;
    }
  }
  numbers.clear();
  find_numbers(small, "", numbers);
  for (Index i = 0; i < numbers.size(); ++i)
    if (numbers[i].get() != before[i])
      changes += fmt::format("{}{} = {} (configured: {})", changes.empty() ? "" : ", ", numbers[i].path,
                             numbers[i].get(), before[i]);
  return small;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
