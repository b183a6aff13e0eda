// A plugin that provides a component of every kind; each stands for a table of another one.
#include <harmonium/framework/plugin/plugin.hpp>

using namespace harmonium;

namespace {

template <class I>
Value table();

#define HARMONIUM_STANDS_FOR(interface, ...) \
  template <>                                \
  Value table<interface>() {                 \
    return make_table(__VA_ARGS__);          \
  }

HARMONIUM_STANDS_FOR(EnergyModel, {{"type", make_value("rbm")},
                                   {"num_visible", make_value(std::int64_t{4})},
                                   {"num_hidden", make_value(std::int64_t{3})},
                                   {"visible_units", make_table({{"type", make_value("my_unit")}})}})
HARMONIUM_STANDS_FOR(UnitType, {{"type", make_value("binary")}})
HARMONIUM_STANDS_FOR(Initializer, {{"type", make_value("normal")}})
HARMONIUM_STANDS_FOR(Sampler, {{"type", make_value("gibbs")}})
HARMONIUM_STANDS_FOR(PhaseEstimator, {{"type", make_value("posterior_mean")}})
HARMONIUM_STANDS_FOR(GradientEstimator,
                     {{"type", make_value("contrastive")},
                      {"positive", make_table({{"type", make_value("my_phase")}})},
                      {"negative", make_table({{"type", make_value("chains")},
                                               {"sampler", make_table({{"type", make_value("my_sampler")}})}})}})
HARMONIUM_STANDS_FOR(LogPartition, {{"type", make_value("exact")}})
HARMONIUM_STANDS_FOR(Optimizer,
                     {{"type", make_value("sgd")}, {"schedule", make_table({{"type", make_value("my_schedule")}})}})
HARMONIUM_STANDS_FOR(Schedule, {{"type", make_value("constant")}})
HARMONIUM_STANDS_FOR(Regularizer, {{"type", make_value("l2")}})
HARMONIUM_STANDS_FOR(Observer, {{"type", make_value("weight_norms")}})
HARMONIUM_STANDS_FOR(DataSource, {{"type", make_value("bars_and_stripes")}, {"side", make_value(std::int64_t{2})}})
HARMONIUM_STANDS_FOR(Study, {{"type", make_value("cd-bias")}})

template <class I>
struct Alias {
  void bind(OptionBinder&) {}
  Value expand(const Value&) const { return table<I>(); }
};

template <class I>
void enroll_one(Registries& registries) {
  registries.of<I>().template add_preset<Alias<I>>(std::string("my_") + I::kind, "a component of a plugin");
}

void enroll(Registries& registries) {
  enroll_one<EnergyModel>(registries);
  enroll_one<UnitType>(registries);
  enroll_one<Initializer>(registries);
  enroll_one<Sampler>(registries);
  enroll_one<PhaseEstimator>(registries);
  enroll_one<GradientEstimator>(registries);
  enroll_one<LogPartition>(registries);
  enroll_one<Optimizer>(registries);
  enroll_one<Schedule>(registries);
  enroll_one<Regularizer>(registries);
  enroll_one<Observer>(registries);
  enroll_one<DataSource>(registries);
  enroll_one<Study>(registries);
}

}  // namespace

HARMONIUM_PLUGIN("every_kind", "1.2.3", "one component of every kind", enroll);
