#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/npy_start.hpp>

#include "files.hpp"

/// Archives of arrays that import reads, of models that are known.
namespace harmonium::testing::made_archives {

inline constexpr const char* potts = R"({ type = "categorical", num_states = 3 })";

/// made.h5 of that table [model], with random parameters, and made.npz that export writes of it.
inline void write_archive(const ScratchFolder& folder, const std::string& model, const char* precision = "float64") {
  folder.write("made.toml", fmt::format("seed = 5\nprecision = \"{}\"\nmodel = {}\n"
                                        "initializer = {{ type = \"normal\", std = 0.7 }}\n",
                                        precision, model));
  const Outcome made = run(folder, {"import", "made.toml", "--output", "made.h5"});
  REQUIRE_MESSAGE(made.status == 0, made.err);
  const Outcome exported = run(folder, {"export", "made.h5", "--output", "made.npz"});
  REQUIRE_MESSAGE(exported.status == 0, exported.err);
}

inline Outcome import_of(const ScratchFolder& folder, const std::string& what, const Words& more = {}) {
  Words words{"import", what, "--output", "back.h5"};
  words.insert(words.end(), more.begin(), more.end());
  return run(folder, words);
}

/// An array of that shape, as Python writes it.
inline std::string npy_of_shape(const char* shape, const std::vector<double>& values) {
  const std::string row = npy_bytes(1, values.size(), values);
  return ::harmonium::npy_start("'<f8'", shape) + row.substr(row.size() - values.size() * sizeof(double));
}

/// The couplings of two units of three states each, between them alone, by row.
inline std::vector<double> potts_couplings() {
  std::vector<double> j(36, 0.0);
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 3; ++t)
      j[s * 6 + 3 + t] = j[(3 + t) * 6 + s] = 0.3 * static_cast<double>(s) - 0.2 * static_cast<double>(t * s);
  return j;
}

inline const std::vector<double> potts_fields{0.1, -0.4, 0.25, 0.0, 0.5, -1.0};

inline double potts_log_z() {
  const std::vector<double> j = potts_couplings();
  double z = 0.0;
  for (std::size_t s = 0; s < 3; ++s)
    for (std::size_t t = 0; t < 3; ++t) z += std::exp(j[s * 6 + 3 + t] + potts_fields[s] + potts_fields[3 + t]);
  return std::log(z);
}

inline double log_z(const ScratchFolder& folder, const std::string& model) {
  const Outcome evaluated = run(folder, {"evaluate", model, "--json"});
  REQUIRE_MESSAGE(evaluated.status == 0, evaluated.err);
  return nlohmann::json::parse(evaluated.out)["log_z"].get<double>();
}

}  // namespace harmonium::testing::made_archives
