// Every registered component that remembers anything is given its state with each field damaged in turn: one error that
// names the field, never a crash and never silence. The registry is the table, so that a new component is covered.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/run/experiment.hpp>
#include <harmonium/plugins/builtin/enroll.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace damaged_states_test {

using namespace harmonium;

namespace {

/// Ends a run after some updates, so that an epoch is under way.
class EndAfter final : public TrainingHost {
 public:
  Verdict between_updates(const TrainingPosition& position, bool) override {
    return position.update >= 3 ? Verdict::stop : Verdict::go_on;
  }
  void recorded(std::uint64_t, std::uint64_t, const MetricRecord&, double) override {}
};

struct Damage {
  const char* what;
  /// Damages a field in place; false where this kind of damage cannot be done to it.
  bool (*inflict)(StateArchive::Fields& fields, const std::string& name);
};

template <class Change>
void change(StateArchive::Fields& fields, const std::string& name, const Change& how) {
  std::visit(how, fields.at(name));
}

const Damage damages[] = {
    {"shortened",
     [](auto& fields, auto& name) {
       change(fields, name, [](auto& values) { values.pop_back(); });
       return true;
     }},
    {"shortened to one entry",
     [](auto& fields, auto& name) {
       bool longer = false;
       change(fields, name, [&](auto& values) {
         longer = values.size() > 1;
         values.resize(1);
       });
       return longer;
     }},
    {"emptied",
     [](auto& fields, auto& name) {
       change(fields, name, [](auto& values) { values.clear(); });
       return true;
     }},
    {"lengthened",
     [](auto& fields, auto& name) {
       change(fields, name, [](auto& values) { values.push_back(values.back()); });
       return true;
     }},
    {"removed",
     [](auto& fields, auto& name) {
       fields.erase(name);
       return true;
     }},
    {"of another type",
     [](auto& fields, auto& name) {
       const auto convert = [&]<class T>(const std::vector<T>& values) -> StateArchive::Field {
         if constexpr (std::is_same_v<T, double>) return std::vector<std::uint64_t>(values.size(), 1);
         else return std::vector<double>(values.begin(), values.end());
       };
       fields.at(name) = std::visit(convert, fields.at(name));
       return true;
     }},
    {"not a number",
     [](auto& fields, auto& name) {
       bool real = false;
       change(fields, name, [&]<class T>(std::vector<T>& values) {
         real = std::is_floating_point_v<T>;
         if (real) values.back() = static_cast<T>(std::nan(""));
       });
       return real;
     }},
};

/// What of damaged states was taken, or told otherwise than by a DataError that names the field.
std::vector<std::string> complaints(Experiment& experiment, const StateArchive::Fields& good,
                                    std::set<std::string>& done) {
  std::vector<std::string> found;
  for (const auto& [name, field] : good) {
    if (!done.insert(name).second) continue;
    for (const Damage& damage : damages) {
      StateArchive::Fields fields = good;
      if (!damage.inflict(fields, name)) continue;
      const std::string what = fmt::format("'{}' {}", name, damage.what);
      try {
        StateArchive archive(fields, experiment.sizes());
        experiment.state(archive);
        found.push_back(what + " was taken");
      } catch (const DataError& error) {
        // A field that others are as long as may be told by one of these.
        const std::string group = name.substr(0, name.rfind('/'));
        if (std::string(error.what()).find(group) == std::string::npos)
          found.push_back(fmt::format("{}: {}", what, error.what()));
      } catch (const std::exception& error) {
        found.push_back(fmt::format("{}: no DataError: {}", what, error.what()));
      }
    }
  }
  return found;
}

constexpr const char* common = "[training]\nnum_updates = 4\nbatch_size = 7\n[pictures]\nwhich = []\n";
constexpr const char* small = "[data]\ntype = \"bars_and_stripes\"\nside = 3\n";

std::string precision() { return sizeof(Real) == 4 ? "precision = \"float32\"\n" : "precision = \"float64\"\n"; }

/// Rows with classes, some of them set aside, for observers that want these.
std::string labeled_run() {
  static const harmonium::testing::ScratchFolder folder;
  std::string rows, classes;
  for (int r = 0; r < 16; ++r) {
    rows += fmt::format("{},{},{},{}\n", r & 1, r >> 1 & 1, r >> 2 & 1, r >> 3 & 1);
    classes += fmt::format("{}\n", r & 1);
  }
  return fmt::format(
      "[data]\ntype = \"csv\"\npath = \"{}\"\nlabels = \"{}\"\nvalidation = 2\n[estimator]\ntype = \"cd\"\n[model]\n"
      "type = \"rbm\"\nnum_visible = 4\nnum_hidden = 3\nnum_labels = 2\n",
      folder.write("rows.csv", rows).string(), folder.write("classes.csv", classes).string());
}

/// Runs of which one part is left open, as %.
std::vector<std::string> runs_for(const std::string& kind) {
  const std::string models[] = {
      "[model]\ntype = \"rbm\"\nnum_visible = 9\nnum_hidden = 4\n",
      "[model]\ntype = \"boltzmann_machine\"\nnum_visible = 9\nnum_hidden = 3\n",
      "[model]\ntype = \"rbm\"\nnum_visible = 9\nnum_hidden = 4\nvisible_units = \"gaussian\"\n",
  };
  const std::string pcd = "[estimator]\ntype = \"pcd\"\nnum_chains = 6\n";
  std::vector<std::string> parts;
  if (kind == Optimizer::kind) parts = {"[optimizer]\n%\n" + pcd};
  if (kind == GradientEstimator::kind)
    parts = {"[estimator]\n%\n", "[estimator]\nnegative = {type = \"chains\", num_chains = 6}\n%\n"};
  if (kind == Sampler::kind) parts = {"[estimator.sampler]\n%\n" + pcd};
  if (kind == PhaseEstimator::kind)
    parts = {
        "[estimator]\ntype = \"contrastive\"\nnegative = {type = \"chains\", num_chains = 6}\n"
        "[estimator.positive]\n%\n",
        "[estimator]\ntype = \"contrastive\"\n[estimator.negative]\n%\n"};
  if (kind == Observer::kind)
    for (const char* estimator : {"pcd", "pseudo_likelihood", "noise_contrastive", "unbiased_cd", "tempered_pcd"})
      parts.push_back(fmt::format("[[observers]]\n%\n[estimator]\ntype = \"{}\"\n", estimator));
  std::vector<std::string> runs;
  for (const std::string& model : models)
    for (const std::string& part : parts) runs.push_back(precision() + part + model + small + common);
  if (kind == GradientEstimator::kind)  // one that serves stacks
    runs.push_back(
        precision() + parts.front() +
        "[model]\ntype = \"stack\"\nuntied = true\nmachines = [{type = \"rbm\", num_visible = 9, num_hidden = "
        "3}, {type = \"rbm\", num_visible = 3, num_hidden = 2}]\n" +
        small + common);
  if (kind == Observer::kind) runs.push_back(precision() + "[[observers]]\n%\n" + labeled_run() + common);
  return runs;
}

/// Options by which one component or another comes to remember more; most take none of them.
constexpr const char* more[] = {"",
                                "momentum = 0.5",
                                "centering = true",
                                "sampled = true",
                                "start = \"persistent\"",
                                "num_rungs = 3",
                                "num_samples = 5"};

/// How many runs a component has part in; what damaged states of theirs were taken goes to `found`.
int try_component(const Registries& registries, const std::string& kind, const std::string& name,
                  std::vector<std::string>& found, std::set<std::string>& done) {
  int ran = 0;
  for (const std::string& run : runs_for(kind))
    for (const char* option : more) {
      std::string text = run;
      text.replace(text.find('%'), 1, fmt::format("type = \"{}\"\n{}", name, option));
      try {
        const Executor executor(1);
        const Value config = parse_toml(text, "test");
        Experiment experiment(config, registries, "", executor);
        TrainingPosition position;
        EndAfter host;
        experiment.run(position, host, executor);
        ++ran;
        StateArchive saved;
        experiment.state(saved);
        StateArchive::Fields fields = saved.fields();
        // A file keeps no fields without values.
        std::erase_if(fields, [](const auto& field) {
          return std::visit([](const auto& values) { return values.empty(); }, field.second);
        });
        for (const std::string& c : complaints(experiment, fields, done)) found.push_back(kind + " " + name + ": " + c);
        StateArchive good(fields, experiment.sizes());
        CHECK_NOTHROW(experiment.state(good));
      } catch (const Error&) {
        continue;  // it does not serve this model, or does not take the option
      }
    }
  return ran;
}

template <class I>
void try_kind(const Registries& registries, std::set<std::string>& fields) {
  for (const auto& entry : registries.of<I>().entries()) {
    std::vector<std::string> found;
    std::set<std::string> done;
    CAPTURE(entry.first);
    // Of a stack, which is put together and not trained: what it remembers is its inner sampler's.
    if (entry.first == "top_down") continue;
    CHECK(try_component(registries, I::kind, entry.first, found, done) > 0);
    CHECK(found == std::vector<std::string>{});
    fields.merge(done);
  }
}

/// Remembers a vector whose size it leaves to the file.
class Sloppy final : public Optimizer {
 public:
  struct Options {
    void bind(OptionBinder&) {}
  };
  explicit Sloppy(Options) {}
  void check(const ParameterLayout&) const override {}
  void step(std::span<Real> theta, std::span<const Real>, const ParameterLayout&, const Progress&,
            const Executor&) override {
    memory_.resize(theta.size());
  }
  double rate(const Progress&) const override { return 1.0; }
  void state(StateArchive& archive) override { archive.field("memory", memory_, FieldSize::up_to(Index{1} << 20)); }

 private:
  std::vector<Real> memory_;
};

Registries builtin() {
  Registries registries;
  enroll_builtin(registries);
  return registries;
}

}  // namespace

TEST_CASE("a damaged field of any component's state is one error that names it") {
  const Registries registries = builtin();
  std::set<std::string> fields;
  try_kind<Optimizer>(registries, fields);
  try_kind<GradientEstimator>(registries, fields);
  try_kind<PhaseEstimator>(registries, fields);
  try_kind<Sampler>(registries, fields);
  try_kind<Observer>(registries, fields);
  // That runs come as far as to have anything to damage.
  for (const char* field :
       {"optimizer/velocity", "optimizer/first", "estimator/centering/offsets", "estimator/fast",
        "estimator/negative/chains/layer1", "estimator/negative/sampler/ladder", "estimator/positive/examples/met",
        "estimator/positive/examples/bytes1", "estimator/positive/examples/numbers1", "estimator/draws",
        "observer_tempering/betas", "observer_meeting_times/most", "observer_gradient_norm/sum"})
    CHECK_MESSAGE(fields.contains(field), field);
}

TEST_CASE("a component that leaves the size of a field to the file is found") {
  Registries registries = builtin();
  registries.of<Optimizer>().add<Sloppy>("sloppy", "remembers a vector of any size");
  std::vector<std::string> found;
  std::set<std::string> done;
  CHECK(try_component(registries, Optimizer::kind, "sloppy", found, done) > 0);
  CHECK(std::ranges::count(found, "optimizer sloppy: 'optimizer/memory' shortened was taken") == 1);
  CHECK(std::ranges::count(found, "optimizer sloppy: 'optimizer/memory' lengthened was taken") == 1);
}

}  // namespace damaged_states_test
