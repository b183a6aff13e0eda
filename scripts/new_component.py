#!/usr/bin/env python3
"""Writes the beginning of a component that works and is tested, to be changed into what is wanted.

  new_component.py KIND NAME                   in Harmonium's own tree: header, source, test, enrolment, changelog
  new_component.py KIND NAME --plugin FOLDER   anywhere: a plugin of that name in a new folder, with a configuration that
                                               `harmonium check` tests it by, and a page about it

KIND is sampler, optimizer, schedule, regularizer or observer; NAME is what a configuration will call it. For a model,
copy the template of a plugin (plugins/template, installed as share/harmonium/plugin_template).
"""
import argparse
import pathlib
import re
import sys

# Of each kind: its interface, what it includes, what is declared, what is defined, what the generated one is for, the
# lines of a configuration that name it, and the statements of its unit test.
KINDS = {
    "sampler": dict(
        interface="Sampler",
        folder="samplers",
        includes=["framework/config/options.hpp", "framework/inference/sampler.hpp"],
        source_includes=["<algorithm>", "<cmath>", "<vector>"],
        summary="proposes another state for one unit after another (Metropolis)",
        declared="""\
/// Metropolis: proposes for one unit after another any state of its domain and accepts it with probability
/// min(1, exp(-beta dE)). Needs energies alone, of units with finitely many states.
class @Class@ final : public Sampler {
 public:
  struct Options {
    Index sweeps = 1;
    void bind(OptionBinder& o);
  };
  explicit @Class@(Options options) : options_(options) {}
  void check(const Target& target) const override;
  SamplerReport advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                        LastMeans* last) override;

 private:
  void transition(const Target& target, Chains& chains, Index begin, Index end, const RandomSource& random) const;
  Options options_;
};
""",
        defined="""\
void @Class@::Options::bind(OptionBinder& o) {
  o.option("sweeps", sweeps, "proposals for each unit in a transition", at_least(1));
}

void @Class@::check(const Target& target) const {
  if (target.base) throw CapabilityError("sampler '@name@': it knows no base. Try 'gibbs'.");
  for (const Layer& layer : target.model.layout().layers())
    if (layer.unit->num_states() == 0)
      throw CapabilityError("sampler '@name@': units of '" + layer.name + "' are continuous. Try 'langevin'.");
}

SamplerReport @Class@::advance(const Target& target, Chains& chains, Index steps, const Execution& execution,
                               LastMeans*) {
  for (Index step = 0; step < steps; ++step) {
    for (const LayerId l : target.model.layout().ids()) chains.write(l);  // as Real, before threads ask for it
    execution.executor.for_each_piece(chains.size(), 64, [&](Index begin, Index end) {
      transition(target, chains, begin, end, execution.random);
    });
    chains.set_step(chains.step() + 1);
  }
  return {};
}

void @Class@::transition(const Target& target, Chains& chains, Index begin, Index end,
                         const RandomSource& random) const {
  const Layout& layout = target.model.layout();
  const ChainView x(chains, begin, end);
  std::vector<double> before(x.rows()), after(x.rows());
  target.model.energy(x, before);
  for (const LayerId l : layout.ids()) {
    if (target.held_layers().contains(l)) continue;
    const UnitType& unit = *layout[l].unit;
    const Index width = unit.width(), states = unit.num_states();
    std::vector<Real> values(states * width), old(x.rows() * width);
    unit.states({values.data(), states, width, width});
    const auto held = target.held ? target.held->units(l, begin, end) : MatrixView<const std::uint8_t>{};
    const MatrixRef v = x[l];
    const DrawBlock addresses = DrawBlock::of(
        random, chains.first_chain() + static_cast<std::uint32_t>(begin), chains.step(), l);
    for (Index k = 0; k < options_.sweeps * layout[l].size; ++k) {
      const Index u = k % layout[l].size;
      const auto site = static_cast<std::uint32_t>(u);
      const auto draw = static_cast<std::uint32_t>(2 * (k / layout[l].size));  // two words a proposal
      for (Index r = 0; r < v.rows; ++r) {
        std::copy_n(v.row(r) + u * width, width, &old[r * width]);
        if (!held.empty() && held(r, u)) continue;
        const double uniform = uniform_f64(addresses.word(r, site, draw));
        const Index state = std::min(static_cast<Index>(uniform * static_cast<double>(states)), states - 1);
        std::copy_n(&values[state * width], width, v.row(r) + u * width);
      }
      target.model.energy(x, after);
      for (Index r = 0; r < v.rows; ++r) {
        const double beta = target.beta_of(chains.rung()[begin + r]);
        if (uniform_f64(addresses.word(r, site, draw + 1)) < std::exp(beta * (before[r] - after[r])))
          before[r] = after[r];
        else std::copy_n(&old[r * width], width, v.row(r) + u * width);
      }
    }
  }
}
""",
        config="""\
[estimator]
type = "pcd"
num_chains = 20

[estimator.sampler]
type = "@name@"
""",
        test_includes=["framework/testing/differences.hpp", "framework/testing/sampler_suite.hpp", "models/presets.hpp"],
        test="""\
  auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  conformance::randomise(*model, 1);
  CheckReport report;
  conformance::check_sampler([] { return std::make_unique<@Class@>(@Class@::Options{}); }, *model, report);
  for (const CheckResult& r : report.results()) CHECK_MESSAGE(r.outcome == CheckOutcome::passed, r.check, ": ", r.words);
""",
        promise="@name@ keeps what every sampler promises",
    ),
    "optimizer": dict(
        interface="Optimizer",
        folder="framework/training",
        includes=["framework/training/optimizer.hpp"],
        source_includes=[],
        summary="steps of the learning rate along the gradient",
        declared="""\
/// theta <- theta - rate * gradient.
class @Class@ final : public Optimizer {
 public:
  struct Options {
    RateOptions rate = {};
    void bind(OptionBinder& o) { rate.bind(o, "step of the parameters along the gradient"); }
  };
  explicit @Class@(Options options) : options_(std::move(options)) {}
  void check(const ParameterLayout& layout) const override { options_.rate.check(layout); }
  void step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
            const Progress& progress, const Executor& executor) override;
  double rate(const Progress& progress) const override { return options_.rate.rate(progress); }

 private:
  Options options_;
};
""",
        defined="""\
void @Class@::step(std::span<Real> theta, std::span<const Real> gradient, const ParameterLayout& layout,
                   const Progress& progress, const Executor& executor) {
  const double rate = options_.rate.rate(progress);
  for_each_learned(layout, options_.rate.of_blocks(layout), executor, [&](Index begin, Index end, double factor) {
    for (Index i = begin; i < end; ++i) theta[i] -= static_cast<Real>(rate * factor) * gradient[i];
  });
}
""",
        config='[estimator]\ntype = "cd"\n\n[optimizer]\ntype = "@name@"\n',
        test_includes=["framework/testing/training_suite.hpp", "models/presets.hpp"],
        test="""\
  auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  CheckReport report;
  conformance::check_optimizer([] { return std::make_unique<@Class@>(@Class@::Options{}); }, *model, report);
  for (const CheckResult& r : report.results()) CHECK_MESSAGE(r.outcome == CheckOutcome::passed, r.check, ": ", r.words);
""",
        promise="@name@ keeps what every optimiser promises",
    ),
    "schedule": dict(
        interface="Schedule",
        folder="framework/training",
        includes=["framework/training/schedule.hpp"],
        source_includes=["<cmath>"],
        summary="1 / sqrt(1 + t / time), t in epochs",
        declared="""\
/// 1 / sqrt(1 + t / time), t and time in epochs.
class @Class@ final : public Schedule {
 public:
  struct Options {
    double time = 10.0;
    void bind(OptionBinder& o) { o.option("time", time, "epochs after which the factor is 0.71", more_than(0)); }
  };
  explicit @Class@(Options options) : options_(options) {}
  double factor(const Progress& progress) const override;

 private:
  Options options_;
};
""",
        defined="""\
double @Class@::factor(const Progress& progress) const {
  return 1.0 / std::sqrt(1.0 + progress.epoch() / options_.time);
}
""",
        config='[estimator]\ntype = "cd"\n\n[optimizer]\ntype = "sgd"\n\n[optimizer.schedule]\ntype = "@name@"\n',
        test_includes=[],
        test="""\
  const @Class@ schedule({.time = 3.0});
  CHECK(schedule.factor({0, 100, 10}) == 1.0);
  CHECK(schedule.factor({90, 100, 10}) == 0.5);  // after 9 epochs: 1 / sqrt(1 + 9 / 3)
""",
        promise="@name@ starts at 1 and falls as its formula says",
    ),
    "regularizer": dict(
        interface="Regularizer",
        folder="framework/training",
        includes=["framework/training/regularizer.hpp"],
        source_includes=[],
        summary="sum of log(1 + w^2) over the couplings",
        declared="""\
/// strength * sum of log(1 + w^2) over the couplings, each pair of a symmetric one once.
class @Class@ final : public Regularizer {
 public:
  struct Options {
    double strength = 1e-4;
    void bind(OptionBinder& o) {
      o.option("strength", strength, "factor of the penalty in the loss, in nats a sample", at_least(0));
    }
  };
  explicit @Class@(Options options) : options_(options) {}
  void add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                    const Executor& executor) const override;

 private:
  Options options_;
};
""",
        defined="""\
void @Class@::add_gradient(std::span<const Real> theta, const ParameterLayout& layout, std::span<Real> gradient,
                           const Executor& executor) const {
  for (const ParameterBlock& block : layout.blocks()) {
    if (block.role != ParameterRole::coupling) continue;
    executor.for_each_piece(block.size(), Index{1} << 16, [&](Index begin, Index end) {
      for (Index i = block.offset + begin; i < block.offset + end; ++i) {
        const auto w = static_cast<double>(theta[i]);
        gradient[i] += static_cast<Real>(options_.strength * 2.0 * w / (1.0 + w * w));
      }
    });
  }
}
""",
        config='[estimator]\ntype = "cd"\n\n[[regularizers]]\ntype = "@name@"\nstrength = 0.1\n',
        test_includes=["framework/testing/differences.hpp", "framework/testing/training_suite.hpp", "models/presets.hpp"],
        test="""\
  auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  conformance::randomise(*model, 1);
  CheckReport report;
  conformance::check_regularizer(@Class@(@Class@::Options{.strength = 0.5}), *model, report);
  for (const CheckResult& r : report.results()) CHECK_MESSAGE(r.outcome == CheckOutcome::passed, r.check, ": ", r.words);
""",
        promise="@name@ keeps what every regulariser promises",
    ),
    "observer": dict(
        interface="Observer",
        folder="framework/training",
        includes=["framework/config/options.hpp", "framework/training/observer.hpp"],
        source_includes=["<algorithm>", "<cmath>"],
        summary="the largest parameter in size",
        declared="""\
/// Records the size of the largest parameter at the end of every so many epochs, as '@name@'.
class @Class@ final : public Observer {
 public:
  struct Options {
    std::uint64_t every = 1;
    void bind(OptionBinder& o) { o.option("every", every, "epochs between two figures", at_least(1)); }
  };
  explicit @Class@(Options options) : options_(options) {}
  Verdict epoch_ended(const EpochEnd& end, MetricRecord& record) override;

 private:
  Options options_;
};
""",
        defined="""\
Verdict @Class@::epoch_ended(const EpochEnd& end, MetricRecord& record) {
  if (end.epoch % options_.every != 0) return Verdict::go_on;
  double largest = 0.0;
  for (const Real w : end.model.parameters()) largest = std::max(largest, std::abs(static_cast<double>(w)));
  record.emplace_back("@name@", largest);
  return Verdict::go_on;
}
""",
        config='[estimator]\ntype = "cd"\n\n[[observers]]\ntype = "@name@"\n',
        test_includes=["models/presets.hpp"],
        test="""\
  auto model = make_rbm({.num_visible = 4, .num_hidden = 3});
  model->update_parameters([](std::span<Real> theta) { theta[3] = Real(-2.5); });
  const Executor executor(1);
  const Execution execution{executor, {}};
  MetricRecord record;
  @Class@ observer({.every = 2});
  observer.epoch_ended({1, 10, *model, {}, execution}, record);
  CHECK(record.empty());
  observer.epoch_ended({2, 20, *model, {}, execution}, record);
  REQUIRE(record.size() == 1);
  CHECK(record[0].second == 2.5);
""",
        promise="@name@ records the largest parameter in size, every so many epochs",
    ),
}


def fail(message):
    sys.exit(f"new_component.py: {message}")


def write(path, text):
    if path.exists():
        fail(f"{path} exists already. Take another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"wrote {path}")


def change(path, edit):
    before = path.read_text()
    after = edit(before)
    if after == before:
        fail(f"{path} is not as it was when this script was written.")
    path.write_text(after)
    print(f"changed {path}")


def system_includes(kind):
    return "".join(f"#include {i}\n" for i in kind["source_includes"])


def own_includes(includes):
    return "".join(f"#include <harmonium/{i}>\n" for i in includes)


def write_plugin(folder, kind_name, kind, name, fill):
    if folder.exists():
        fail(f"{folder} exists already. Take another folder.")
    write(folder / "CMakeLists.txt", fill("""\
cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES CXX)
enable_testing()

find_package(harmonium REQUIRED)
harmonium_add_plugin(@name@ @name@.cpp CHECK @name@.toml)
"""))
    start = system_includes(kind)
    write(folder / f"{name}.cpp", fill(
        (start + "\n" if start else "")
        + own_includes(["framework/plugin/plugin.hpp"])
        + "\nusing namespace harmonium;\n\nnamespace {\n\n" + kind["declared"] + "\n" + kind["defined"]
        + "\nvoid enroll(Registries& registries) {\n"
        + "  registries.of<@Interface@>().add<@Class@>(\"@name@\", \"@summary@\");\n}\n\n}  // namespace\n\n"
        + "HARMONIUM_PLUGIN(\"@name@\", \"0.1.0\", \"@summary@\", enroll);\n"))
    write(folder / f"{name}.toml", fill("""\
plugins = ["@name@"]

[data]
type = "bars_and_stripes"
side = 3

[model]
type = "rbm"
num_visible = 9
num_hidden = 4

""" + kind["config"]))
    write(folder / "README.md", fill(f"""\
# @name@

A plugin of Harmonium with the {kind_name} `@name@`: @summary@.

    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build
    harmonium describe {kind_name} @name@ --plugin build/@name@.so
    harmonium check @name@.toml --plugin build/@name@.so
    harmonium train @name@.toml --plugin build/@name@.so
"""))


def write_component(root, kind_name, kind, name, fill):
    folder = kind["folder"]
    path = f"{folder}/{name}"
    open_namespace = "namespace harmonium {\ninline namespace HARMONIUM_ABI {\n\n"
    close_namespace = "\n}  // namespace HARMONIUM_ABI\n}  // namespace harmonium\n"
    write(root / f"{path}.hpp", fill(
        "#pragma once\n\n" + own_includes(kind["includes"]) + "\n" + open_namespace + kind["declared"]
        + close_namespace))
    start = system_includes(kind)
    write(root / f"{path}.cpp", fill(
        own_includes([f"{path}.hpp"]) + ("\n" + start if start else "") + "\n" + open_namespace + kind["defined"]
        + close_namespace))
    write(root / f"tests/unit/{path}_test.cpp", fill(
        "#include <doctest/doctest.h>\n\n" + own_includes(sorted([f"{path}.hpp"] + kind["test_includes"]))
        + "\nusing namespace harmonium;\n\nTEST_CASE(\"" + kind["promise"] + "\") {\n" + kind["test"] + "}\n"))
    where = root / ("samplers" if folder == "samplers" else "plugins/builtin") / "enroll.cpp"
    registration = fill("  registries.of<@Interface@>().add<@Class@>(\"@name@\", \"@summary@\");\n")
    include = own_includes([f"{path}.hpp"])
    # After its own header, and before the end of the one function in it.
    change(where, lambda text: text.replace("\n\n#include", "\n\n" + include + "#include", 1)
           .replace("\n}\n", "\n" + registration + "}\n", 1))
    change(root / "CHANGELOG.md",
           lambda text: text.replace("### Added\n\n", fill(f"### Added\n\n- The {kind_name} `@name@`: @summary@.\n"), 1))
    page = root / "docs" / ("samplers.md" if folder == "samplers" else "training.md")
    change(page, lambda text: text + fill(
        f"\n## `@name@`\n\nThe {kind_name} `@name@`: @summary@. Its options: `harmonium describe {kind_name} @name@`.\n"))
    print("Now: scripts/format.sh, cmake --preset dev, and the build; then run the new test.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", metavar="KIND", choices=sorted(KINDS))
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--plugin", metavar="FOLDER", type=pathlib.Path, help="write a plugin into this new folder")
    arguments = parser.parse_args()
    name = arguments.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.endswith("_f32"):
        fail(f"'{name}' cannot be the name of a component. Take small letters, digits and underscores.")
    kind = KINDS[arguments.kind]
    class_name = "".join(part.capitalize() for part in name.split("_"))
    values = {"Class": class_name, "name": name, "Interface": kind["interface"], "summary": kind["summary"]}

    def fill(text):
        return re.sub(r"@(\w+)@", lambda match: values[match.group(1)], text)

    if arguments.plugin:
        write_plugin(arguments.plugin, arguments.kind, kind, name, fill)
        return
    root = pathlib.Path(__file__).resolve().parent.parent
    if not (root / "plugins" / "builtin" / "enroll.cpp").exists():
        fail("this is not Harmonium's own tree. Add --plugin FOLDER.")
    write_component(root, arguments.kind, kind, name, fill)


if __name__ == "__main__":
    main()
