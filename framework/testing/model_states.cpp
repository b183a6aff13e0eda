#include <harmonium/framework/testing/model_states.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace conformance {

ModelStates::ModelStates(const ModelSubject& of) : m(of), space(of.model.layout()) {}

std::vector<Real> ModelStates::gradient(const std::vector<double>& law) const {
  std::vector<Real> sum(m.model.parameters().size(), Real{0});
  m.model.add_gradient(space.rows(), law, sum, m.executor);
  return sum;
}

void ModelStates::compare_gradients(Comparisons& worst, const std::vector<Real>& told,
                                    const std::vector<Real>& expected, const std::string& where) const {
  for (const ParameterBlock& block : m.model.parameter_layout().blocks())
    for (Index i = 0; i < block.size(); ++i)
      worst.compare(static_cast<double>(told[block.offset + i]), static_cast<double>(expected[block.offset + i]),
                    ModelSubject::epsilon * (256.0 + m.scale),
                    [&] { return fmt::format("{}'{}', entry {}", where, block.name, i); });
}

}  // namespace conformance
}  // namespace HARMONIUM_ABI
}  // namespace harmonium
