#pragma once

#include <memory>
#include <string>

#include <harmonium/framework/inference/gradient_estimator.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/tests/support/outcomes.hpp>

/// What controls are made of: components that are right but for what a test overrides.
namespace harmonium::testing {

/// Binary units, as BinaryUnit has them.
class BinaryControl : public UnitType {
 public:
  std::string_view name() const override { return "control"; }
  Index num_states() const override { return 2; }
  void states(MatrixRef out) const override { inner_.states(out); }
  bool has_curvature() const override { return false; }
  double min() const override { return 0.0; }
  double max() const override { return 1.0; }
  std::string_view domain() const override { return "from 0 to 1"; }
  void add_log_partition(const BasicFields<const double>& f, std::span<double> sums) const override {
    inner_.add_log_partition(f, sums);
  }
  void moments(const ConstFields& f, MatrixRef mean, MatrixRef second) const override {
    inner_.moments(f, mean, second);
  }
  void linear_of_mean(std::span<const double> mean, double curvature, double num_rows,
                      std::span<double> linear) const override {
    inner_.linear_of_mean(mean, curvature, num_rows, linear);
  }
  void sample_uniform(const DrawBlock& addresses, MatrixRef out) const override {
    inner_.sample_uniform(addresses, out);
  }

 protected:
  BinaryUnit inner_;
};

/// The built-in estimator that the table `toml` describes, its gradient multiplied by `factor` in one tensor or, without
/// its name, in all; its loss stays.
class Scaled final : public GradientEstimator {
 public:
  Scaled(const std::string& toml, Real factor, std::string tensor = "");
  void check(const EnergyModel& model) const override { inner_->check(model); }
  void begin(const EnergyModel& model, const DataOutline& data) override { inner_->begin(model, data); }
  Report estimate(const EnergyModel& model, const DataBatch& data, std::span<Real> gradient,
                  const Execution& execution) override;
  double products(const EnergyModel& model, Index rows) const override { return inner_->products(model, rows); }
  Figures figures(const EnergyModel& model) const override { return inner_->figures(model); }
  void state(StateArchive& archive) override { inner_->state(archive); }

 private:
  std::unique_ptr<GradientEstimator> inner_;
  Real factor_;
  std::string tensor_;
};

}  // namespace harmonium::testing
