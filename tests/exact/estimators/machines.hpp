#pragma once

#include <memory>
#include <string>
#include <vector>

#include <harmonium/framework/inference/enumeration.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/tests/support/example_models.hpp>

namespace harmonium::testing {

inline double exact_log_z(const EnergyModel& model, double beta = 1.0) {
  return Enumeration(model, {}, 20).log_sum(beta, nullptr, Executor(2));
}

/// Machines of every kind of unit: restricted, with lateral couplings on both sides, deep.
inline std::vector<Example> machines() {
  std::vector<Example> all;
  const auto add = [&](std::string name, std::unique_ptr<LayeredModel> model, double spread = 1.0) {
    randomize(*model, 40 + all.size(), spread);
    all.push_back({std::move(name), std::move(model)});
  };
  const auto gaussian = [] { return std::make_unique<GaussianUnit>(); };
  const auto sites = [] { return std::make_unique<CategoricalUnit>(CategoricalUnit::Options{3}); };
  add("RBM", make_rbm({.num_visible = 12, .num_hidden = 6}));
  add("Boltzmann machine", make_boltzmann_machine({.num_visible = 6, .num_hidden = 5}));
  add("deep machine", make_deep({.num_visible = 6, .num_hidden = {5, 4}}));
  add("spins", make_fully_visible({.num_visible = 9, .visible_units = std::make_unique<SpinUnit>()}), 0.5);
  add("Gaussian RBM", make_rbm({.num_visible = 4, .num_hidden = 5, .visible_units = gaussian()}), 0.5);
  add("categorical sites", make_rbm({.num_visible = 4, .num_hidden = 4, .visible_units = sites()}));
  return all;
}

}  // namespace harmonium::testing
