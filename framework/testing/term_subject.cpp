#include <harmonium/framework/testing/term_subject.hpp>

#include <algorithm>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/testing/differences.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {
namespace {

ParameterLayout declared(EnergyTerm& term, const Layout& layout) {
  ParameterLayout parameters;
  term.declare(layout, parameters);
  return parameters;
}

}  // namespace

OneTerm::OneTerm(std::unique_ptr<EnergyTerm> term, const Layout& layout)
    : ModelBase(layout, declared(*term, layout)), term_(std::move(term)) {
  refresh();
}

void OneTerm::energy(ConstChainView x, std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  term_->add_energy(1.0, ExactRows(x), theta(), out);
}

void OneTerm::add_gradient(ConstChainView x, std::span<const double> weights, std::span<Real> gradient,
                           const Executor& executor) const {
  Moments q;
  for (const LayerId l : layout().ids()) q.mean.push_back(x[l]);
  q.second.resize(layout().size());
  term_->add_gradient(q, weights, theta(), gradient, executor);
  term_->finish_gradient(gradient);
}

void OneTerm::refresh() {
  if (const auto wrong = term_->refresh(theta())) throw NumericalError(*wrong);
}

TermSubject::TermSubject(const std::function<std::unique_ptr<EnergyTerm>()>& make, const Layout& layers,
                         CheckReport& to)
    : model(make(), layers),
      layout(layers),
      report(to),
      rows(random_rows(layers, num_rows, 5)),
      others(random_rows(layers, num_rows, 6)) {
  randomize(model, 11, 0.5);
  const double largest = largest_value(layout, rows);
  scale = size_of_parameters(model) * largest * largest * largest;
}

std::vector<double> TermSubject::energies(const Chains& x) const {
  std::vector<double> e(x.size());
  model.energy(x, e);
  return e;
}

std::vector<double> TermSubject::exact_fields(LayerId layer, const Chains& x) const {
  const Index columns = layout[layer].columns();
  std::vector<double> f(x.size() * columns, 0.0);
  if (!term().layers().contains(layer)) return f;
  term().add_exact_fields(layer, ExactRows(x), model.theta(), {f.data(), x.size(), columns, columns});
  return f;
}

Chains TermSubject::with_unit(LayerId layer, Index unit) const {
  Chains x = rows;
  const Index width = layout[layer].unit->width();
  for (Index r = 0; r < x.size(); ++r)
    std::copy_n(others.read(layer).row(r) + unit * width, width, x.write(layer).row(r) + unit * width);
  return x;
}

Chains TermSubject::with_layer(LayerId layer) const {
  Chains x = rows;
  x.copy_rows(LayerSet().add(layer), others);
  return x;
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
