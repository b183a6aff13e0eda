#include <harmonium/program/work/proposed_steps.hpp>

#include <cmath>

namespace harmonium {
inline namespace HARMONIUM_ABI {

double rate_of_bits(Index columns, Index rows) {
  return columns >= 300 || rows < 1000 ? 0.05 : columns >= 100 ? 0.1 : columns >= 30 ? 0.2 : 0.4;
}

double rate_of_numbers(Index columns) { return columns > 40 ? 0.01 : columns > 15 ? 0.03 : 0.1; }

bool few_states(double log2_states) { return log2_states <= 10.0; }

double log2_states_of(const Value& layers) {
  double sum = 0.0;
  for (const Value& layer : std::get<Value::List>(layers.data)) {
    const Value *units = layer.find("units"), *size = layer.find("size");
    const bool bits = *units == make_value("binary") || *units == make_value("spin");
    const Value* states = units->is_table() ? units->find("num_states") : nullptr;
    if (!size || !size->number() || (!bits && !states)) return 1e300;
    sum += *size->number() * std::log2(bits ? 2.0 : states->number().value_or(1e300));
  }
  return sum;
}

Value chains_or_exact(bool exact) {
  if (exact) return make_table({{"type", make_value("exact")}});
  return make_table(
      {{"type", make_value("pcd")}, {"gibbs_steps", make_value(std::int64_t{1})}, {"centering", make_value(true)}});
}

Value normal(double std) { return make_table({{"type", make_value("normal")}, {"std", make_value(std)}}); }

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
