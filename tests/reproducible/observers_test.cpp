#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/estimators/enroll.hpp>
#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/models/enroll.hpp>
#include <harmonium/samplers/enroll.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace observers_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Looks at everything and draws as many words as it likes.
class Nosy final : public Observer {
 public:
  struct Options {
    double share = 0.5;
    void bind(OptionBinder& o) { o.option("share", share, "of nothing in particular", within(0, 1)); }
  };
  explicit Nosy(Options) {}
  Verdict iterated(const Iteration& it) override {
    for (const Real g : it.gradient) seen_ += static_cast<double>(g);
    return Verdict::go_on;
  }
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override {
    Chains chains(end.model.layout(), 40);
    for (const LayerId l : end.model.layout().ids())
      end.model.layout()[l].unit->sample_uniform(DrawBlock::of(end.execution.random, 0, end.epoch, l), chains.write(l));
    std::vector<double> energy(40);
    end.model.energy(chains, energy);
    for (const double e : energy) seen_ += e;
    record.emplace_back("nosy", seen_);
    return Verdict::go_on;
  }
  void state(StateArchive& archive) override { archive.field("seen", seen_); }

 private:
  double seen_ = 0.0;
};

/// Enough to train, and nothing that observes.
Registries without_observers() {
  Registries registries;
  enroll_models(registries);
  enroll_samplers(registries);
  enroll_estimators(registries);
  registries.of<Initializer>().add<NormalInitializer>("normal", "normal couplings");
  registries.of<Optimizer>().add<Sgd>("sgd", "stochastic gradient descent");
  registries.of<Optimizer>().add<Adam>("adam", "Adam");
  registries.of<Schedule>().add<ConstantSchedule>("constant", "1 throughout");
  registries.of<Regularizer>().add<L2>("l2", "half the squared size");
  registries.of<DataSource>().add<LabeledShifter>("labeled_shifter", "a pattern, shifted");
  return registries;
}

/// A line for each epoch, without one more of the last epoch, of a likelihood that was not due then.
std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(content_of(file));
  for (std::string line; std::getline(text, line);) {
    nlohmann::json record = nlohmann::json::parse(line);
    if (lines.empty() || record["epoch"] != lines.back()["epoch"]) lines.push_back(std::move(record));
  }
  return lines;
}

std::filesystem::path last_checkpoint(const std::filesystem::path& folder, const TrainOutcome& outcome) {
  return folder / "checkpoints" / (std::to_string(outcome.updates) + ".h5");
}

}  // namespace

TEST_CASE("an observer that is added changes no number of the others, no parameter and no chain") {
  Registries registries = builtin();
  registries.of<Observer>().add<Nosy>("nosy", "looks at everything");
  for (const Setup& setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    const std::string plain = config_of(setup, 3, 1);
    const TrainOutcome without = train_in(scratch / "without", plain, {}, registries);
    const auto a = lines_of(scratch / "without/metrics.jsonl");
    REQUIRE(a.size() == 3);
    std::string more = plain + "[[observers]]\ntype = \"nosy\"\n";
    // A default, where the model has it, that is asked for with other options takes another place in the list and draws
    // other words.
    if (a[0].contains("pseudo_log_likelihood")) more += "[[observers]]\ntype = \"pseudo_likelihood\"\nunits = 3\n";
    train_in(scratch / "with", more, {}, registries);
    const auto b = lines_of(scratch / "with/metrics.jsonl");
    REQUIRE(b.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(b[i].contains("nosy"));
      for (const auto& item : a[i].items()) {
        CAPTURE(item.key());
        REQUIRE(b[i].contains(item.key()));
        if (item.key().find("pseudo") == std::string::npos) CHECK(b[i][item.key()] == item.value());
      }
    }
    CHECK(tensors_of(scratch / "without/model.h5") == tensors_of(scratch / "with/model.h5"));
    CHECK(state_of(last_checkpoint(scratch / "without", without)) ==
          state_of(last_checkpoint(scratch / "with", without)));
  }
}

TEST_CASE("a run that nothing observes has the same parameters and chains") {
  const Registries none = without_observers();
  for (const Setup& setup : setups_that_draw_little()) {
    CAPTURE(setup.name);
    const ScratchFolder scratch;
    Setup alone = setup;
    if (alone.more.starts_with("[[observers]]")) alone.more.clear();
    const TrainOutcome outcome = train_in(scratch / "observed", config_of(setup, 3, 3));
    train_in(scratch / "alone", config_of(alone, 3, 3), {}, none);
    REQUIRE(lines_of(scratch / "alone/metrics.jsonl").at(2).size() == 2);  // epoch and update
    CHECK(tensors_of(scratch / "observed/model.h5") == tensors_of(scratch / "alone/model.h5"));
    CHECK(state_of(last_checkpoint(scratch / "observed", outcome)) ==
          state_of(last_checkpoint(scratch / "alone", outcome)));
  }
}

// Words are drawn by an observer's name: one whose type begins like another's must not be taken for its second copy.
TEST_CASE("an observer keeps its words whatever the others are called") {
  Registries registries = builtin();
  registries.of<Observer>().add<Nosy>("nosy", "looks at everything");
  registries.of<Observer>().add<Nosy>("nosy_neighbor", "looks at everything, too");
  const Setup setup = setups().front();
  const ScratchFolder scratch;
  const std::string one = config_of(setup, 2, 0) + "[[observers]]\ntype = \"nosy\"\n";
  const std::string two =
      config_of(setup, 2, 0) + "[[observers]]\ntype = \"nosy_neighbor\"\n[[observers]]\ntype = \"nosy\"\n";
  train_in(scratch / "one", one, {}, registries);
  train_in(scratch / "two", two, {}, registries);
  // Both write the key "nosy": the second one's stands under the observer's name.
  CHECK(lines_of(scratch / "one/metrics.jsonl").at(1)["nosy"] ==
        lines_of(scratch / "two/metrics.jsonl").at(1)["nosy.nosy"]);
}

}  // namespace observers_test
