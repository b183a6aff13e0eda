#!/usr/bin/env python3
"""Writes the beginning of a component that works and is tested, to be changed into what is wanted.

  new_component.py KIND NAME                   in Harmonium's own tree: header, source, test, enrolment, changelog, docs
  new_component.py KIND NAME --plugin FOLDER   anywhere: a plugin of that name in a new folder, with a configuration that
                                               `harmonium check` tests it by, and a page about it

NAME is what a configuration will call it. What is written is in the folder `components` beside this script.
"""
import argparse
import pathlib
import re
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent  # of the tree, or the share folder of what is installed
TEMPLATES = pathlib.Path(__file__).resolve().parent / "components"
CLOSE = "\n}  // namespace HARMONIUM_ABI\n}  // namespace harmonium\n"


class Kind(NamedTuple):
    registered: str  # the kind of component, as `harmonium list` shows it
    interface: str
    summary: str  # of the one that is written
    folder: str  # of its header and source in the tree
    enrolment: str  # the file of the function that enrols it
    page: str  # in docs


KINDS = {
    "model": Kind("model", "EnergyModel", "units that are all coupled by the same strength (Curie and Weiss)",
                  "models", "models/enroll.cpp", "boltzmann_machines.md"),
    "term": Kind("term", "EnergyTerm", "units in a row, each coupled with the next by one strength (Ising)",
                 "models/terms", "models/enroll.cpp", "boltzmann_machines.md"),
    "unit": Kind("unit", "UnitType", "a whole number from 0 to a largest one",
                 "models/units", "models/enroll.cpp", "units.md"),
    "initializer": Kind("initializer", "Initializer", "couplings of one size and either sign",
                        "framework/training", "plugins/builtin/enroll.cpp", "training.md"),
    "sampler": Kind("sampler", "Sampler", "proposes another state for one unit after another (Metropolis)",
                    "samplers", "samplers/enroll.cpp", "samplers.md"),
    "positive_phase": Kind("phase", "PhaseEstimator", "positive phase: draws from the exact posterior",
                           "estimators/phases", "estimators/enroll.cpp", "estimators.md"),
    "negative_phase": Kind("phase", "PhaseEstimator", "negative phase: chains that start anew now and then",
                           "estimators/phases", "estimators/enroll.cpp", "estimators.md"),
    "estimator": Kind("estimator", "GradientEstimator", "contrastive divergence by free energies",
                      "estimators/gradients", "estimators/enroll.cpp", "estimators.md"),
    "log_partition": Kind("log_partition", "LogPartition", "uniform states, weighed: for models that are nearly uniform",
                          "estimators/log_partition", "estimators/enroll.cpp", "estimators.md"),
    "optimizer": Kind("optimizer", "Optimizer", "steps of the learning rate along the gradient",
                      "framework/training", "plugins/builtin/enroll.cpp", "training.md"),
    "schedule": Kind("schedule", "Schedule", "1 / sqrt(1 + t / time), t in epochs",
                     "framework/training", "plugins/builtin/enroll.cpp", "training.md"),
    "regularizer": Kind("regularizer", "Regularizer", "sum of log(1 + w^2) over the couplings",
                        "framework/training", "plugins/builtin/enroll.cpp", "training.md"),
    "observer": Kind("observer", "Observer", "the largest parameter in size",
                     "framework/training", "plugins/builtin/enroll.cpp", "training.md"),
    "data": Kind("data", "DataSource", "all words with an even number of ones",
                 "framework/data", "plugins/builtin/enroll.cpp", "data.md"),
    "study": Kind("study", "Study", "the log Z of small machines with random couplings",
                  "studies", "studies/enroll.cpp", "estimators.md"),
}


# Targets that CMake keeps to itself.
RESERVED = {"all", "clean", "depend", "edit_cache", "help", "install", "list_install_components", "package",
            "package_source", "preinstall", "rebuild_cache", "test"}


def fail(message):
    sys.exit(f"new_component.py: {message}")


def write(path, text):
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


class Component:
    """A kind under a name: the templates' texts with what stands between @ filled in."""

    def __init__(self, kind_name, name):
        self.kind = KINDS[kind_name]
        self.name = name
        folder = f"studies/{name}" if self.kind.registered == "study" else self.kind.folder  # a study has its own
        self.path = f"{folder}/{name}"  # of header and source, without their endings
        self.templates = TEMPLATES / kind_name
        self.values = {"name": name, "path": self.path, "registered": self.kind.registered,
                       "Class": "".join(part.capitalize() for part in name.split("_")),
                       "Interface": self.kind.interface, "summary": self.kind.summary}

    def fill(self, text):
        return re.sub(r"@(\w+)@", lambda match: self.values[match.group(1)], text)

    def text(self, template):
        return self.fill((self.templates / f"{template}.in").read_text())

    def parts(self, template):
        """The lines of a C++ file that include, and what stands within Harmonium's namespaces."""
        text = self.text(template)
        body = re.search(r"^inline namespace (\w+) {\n\n(.*)\n}  // namespace \1$", text, re.DOTALL | re.MULTILINE)
        return re.findall(r"^#include .*$", text, re.MULTILINE), body[2]


def refuse_name(component, plugin):
    """Ends the program where what is written under that name would not compile, or would not be found."""
    name, kind, new_class = component.name, component.kind, component.values["Class"]
    other = f"'{name}' cannot be the name of a component: %s. Take another name."
    if plugin and name in RESERVED:
        fail(other % f"CMake keeps the target '{name}' to itself")
    if any(re.search(rf"\b{new_class}\b", file.read_text()) for file in component.templates.glob("*.in")):
        fail(other % f"its class would be called {new_class}, which what is written has another meaning for")
    # Of what is installed there is no list: there Harmonium tells as it loads the plugin.
    enrolment = ROOT / kind.enrolment
    text = enrolment.read_text() if enrolment.exists() else ""
    registry = re.search(rf"(\w+) = registries\.of<{kind.interface}>\(\);", text)
    registries = rf"registries\.of<{kind.interface}>\(\)" + (rf"|\b{registry[1]}" if registry else "")
    if re.search(rf'(?:{registries})\s*\.add\w*(?:<\w+>)?\(\s*"{name}"', text):
        fail(f"'{name}' is the name of another {kind.registered}. Take another name.")
    # A plugin's class is its own, but for what it includes.
    layers = ["framework"] if plugin else ["framework", "models", "samplers", "estimators", "studies"]
    for folder in ROOT, ROOT.parent / "include" / "harmonium":  # the tree, or where Harmonium is installed
        for header in sorted(header for layer in layers for header in (folder / layer).rglob("*.hpp")):
            if re.search(rf"^(?:enum )?(?:class|struct|using) {new_class}\b(?!;)", header.read_text(), re.MULTILINE):
                fail(other % f"its class would be called {new_class}, as the one in {header}")


def write_plugin(component, folder):
    if folder.exists():
        fail(f"{folder} exists already. Take another folder.")
    name, fill = component.name, component.fill
    is_study = component.kind.registered == "study"  # which has a command of its own, and is none that a run names
    includes, declared = component.parts("header.hpp")
    more_includes, defined = component.parts("source.cpp")
    system = sorted({i for i in includes + more_includes if "<harmonium/" not in i})
    write(folder / "CMakeLists.txt", fill("""\
cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES CXX)
enable_testing()

find_package(harmonium REQUIRED)
harmonium_add_plugin(@name@ @name@.cpp""") + ("" if is_study else f" CHECK {name}.toml") + ")\n")
    own = sorted({i for i in includes + more_includes if "<harmonium/" in i and f"/{name}.hpp>" not in i}
                 | {"#include <harmonium/framework/plugin/plugin.hpp>"})
    write(folder / f"{name}.cpp", "".join(i + "\n" for i in system) + "\n" * bool(system)
          + "".join(i + "\n" for i in own)
          + "\nusing namespace harmonium;\n\nnamespace {\n\n" + declared + "\n" + defined + fill("""
void enroll(Registries& registries) {
  registries.of<@Interface@>().add<@Class@>("@name@", "@summary@");
}

}  // namespace

HARMONIUM_PLUGIN("@name@", "0.1.0", "@summary@", enroll);
"""))
    write(folder / f"{name}.toml", component.text("study.toml" if is_study else "check.toml"))
    use = "    harmonium study @name@ @name@.toml --plugin build/@name@.so\n" if is_study else """\
    harmonium check @name@.toml --plugin build/@name@.so
    harmonium train @name@.toml --plugin build/@name@.so
"""
    write(folder / "README.md", fill("""\
# @name@

A plugin of Harmonium with the @registered@ `@name@`: @summary@.

    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build
    harmonium describe @registered@ @name@ --plugin build/@name@.so
""" + use))


def write_component(component, root):
    if not (root / "plugins" / "builtin" / "enroll.cpp").exists():
        fail("this is not Harmonium's own tree. Add --plugin FOLDER.")
    kind, path, fill = component.kind, component.path, component.fill
    files = {f"{path}.hpp": "header.hpp", f"{path}.cpp": "source.cpp", f"tests/unit/{path}_test.cpp": "test.cpp"}
    for file in files:
        if (root / file).exists():
            fail(f"{root / file} exists already. Take another name.")
    for file, template in files.items():
        write(root / file, component.text(template))
    registration = fill('  registries.of<@Interface@>().add<@Class@>("@name@", "@summary@");\n')
    # After its own header, and at the end of the function, the last in its file.
    change(root / kind.enrolment,
           lambda text: text.replace("\n\n#include", fill("\n\n#include <harmonium/@path@.hpp>\n#include"), 1)
           .replace("\n}\n" + CLOSE, "\n" + registration + "}\n" + CLOSE))
    change(root / "CHANGELOG.md",
           lambda text: text.replace("### Added\n\n", fill("### Added\n\n- The @registered@ `@name@`: @summary@.\n"), 1))
    change(root / "docs" / kind.page, lambda text: text + fill(
        "\n## `@name@`\n\nThe @registered@ `@name@`: @summary@. Its options: "
        "`harmonium describe @registered@ @name@`.\n"))
    print("Now: its name in README's table, and in the table of the page where there is one; scripts/format.sh, cmake --preset "
          "dev, and the build; then run the new test.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", metavar="KIND", choices=KINDS, help=", ".join(KINDS))
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--plugin", metavar="FOLDER", type=pathlib.Path, help="write a plugin into this new folder")
    arguments = parser.parse_args()
    name = arguments.name
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.endswith("_f32"):
        fail(f"'{name}' cannot be the name of a component. Take small letters, digits and underscores.")
    component = Component(arguments.kind, name)
    try:
        refuse_name(component, arguments.plugin)
        if arguments.plugin:
            write_plugin(component, arguments.plugin)
        else:
            write_component(component, ROOT)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}. Take another folder.")


if __name__ == "__main__":
    main()
