#include <harmonium/program/precision.hpp>

#include <harmonium/framework/files/model_header.hpp>

namespace harmonium {

// Of the libraries that were compiled for each precision (program/work/commands.hpp).
inline namespace v1_f64 {
const Program& this_program();
}
namespace v1_f32 {
const Program& this_program();
}

inline namespace v1 {

Precision precision_named(const std::string& name) {
  return name == "float32" ? Precision::float32 : Precision::float64;
}

Precision precision_of_model(const std::string& path) { return precision_named(read_model_header(path).precision); }

Precision precision_of_config(const Value& config) { return precision_named(precision_of(config, "float32")); }

const Program& program(Precision precision) {
  return precision == Precision::float32 ? v1_f32::this_program() : v1_f64::this_program();
}

}  // namespace v1
}  // namespace harmonium
