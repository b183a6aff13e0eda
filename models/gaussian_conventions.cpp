#include <harmonium/models/gaussian_conventions.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

/// What the other's weights of a unit are divided by.
double divisor(GaussianConvention convention, double sigma) {
  return convention == GaussianConvention::variance ? sigma * sigma : sigma;
}

struct Tensors {
  Index visible_bias, hidden_bias, weight, log_precision;
};

Tensors tensors_of(const LayeredModel& rbm) {
  const ParameterLayout& p = rbm.parameter_layout();
  const Tensors t{p.find("bias.visible"), p.find("bias.hidden"), p.find("weight.visible.hidden"),
                  p.find("log_precision.visible")};
  for (const Index at : {t.visible_bias, t.hidden_bias, t.weight, t.log_precision})
    if (at == p.blocks().size() || p.blocks().size() != 4)
      throw ConfigError("this is no RBM with Gaussian visible units and hidden ones without a precision.");
  return t;
}

}  // namespace

double set_from(LayeredModel& rbm, const GaussianRbm& other, GaussianConvention convention) {
  const Tensors t = tensors_of(rbm);
  const ParameterLayout& p = rbm.parameter_layout();
  const Index visible = p[t.weight].rows, hidden = p[t.weight].cols;
  if (other.visible_bias.size() != visible || other.sigma.size() != visible || other.hidden_bias.size() != hidden ||
      other.weight.size() != visible * hidden)
    throw ConfigError(fmt::format("the tensors are not those of {} visible and {} hidden units.", visible, hidden));
  double constant = 0.0;
  for (Index j = 0; j < visible; ++j) {
    const double sigma = other.sigma[j];
    if (!(sigma > 0.0) || !std::isfinite(sigma))
      throw ConfigError(fmt::format("deviation {} is {}, but it must be positive and finite.", j, sigma));
    constant += 0.5 * other.visible_bias[j] * other.visible_bias[j] / (sigma * sigma);
  }
  rbm.update_parameters([&](std::span<Real> theta) {
    const MatrixRef b = p.view(t.visible_bias, theta.data()), c = p.view(t.hidden_bias, theta.data()),
                    w = p.view(t.weight, theta.data()), log_gamma = p.view(t.log_precision, theta.data());
    for (Index j = 0; j < visible; ++j) {
      const double sigma = other.sigma[j];
      b(j, 0) = static_cast<Real>(other.visible_bias[j] / (sigma * sigma));
      log_gamma(j, 0) = static_cast<Real>(-2.0 * std::log(sigma));
      for (Index i = 0; i < hidden; ++i)
        w(j, i) = static_cast<Real>(other.weight[j * hidden + i] / divisor(convention, sigma));
    }
    for (Index i = 0; i < hidden; ++i) c(i, 0) = static_cast<Real>(other.hidden_bias[i]);
  });
  return constant;
}

GaussianRbm written_as(const LayeredModel& rbm, GaussianConvention convention) {
  const Tensors t = tensors_of(rbm);
  const ParameterLayout& p = rbm.parameter_layout();
  const Real* theta = rbm.parameters().data();
  const ConstMatrixRef b = p.view(t.visible_bias, theta), c = p.view(t.hidden_bias, theta), w = p.view(t.weight, theta),
                       log_gamma = p.view(t.log_precision, theta);
  GaussianRbm other;
  for (Index j = 0; j < w.rows; ++j) {
    const double sigma = std::exp(-0.5 * static_cast<double>(log_gamma(j, 0)));
    other.sigma.push_back(sigma);
    other.visible_bias.push_back(static_cast<double>(b(j, 0)) * sigma * sigma);
    for (Index i = 0; i < w.cols; ++i)
      other.weight.push_back(static_cast<double>(w(j, i)) * divisor(convention, sigma));
  }
  for (Index i = 0; i < w.cols; ++i) other.hidden_bias.push_back(static_cast<double>(c(i, 0)));
  return other;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
