#include <algorithm>
#include <cstdlib>

#include <doctest/doctest.h>

#include "files.hpp"

#include <harmonium/framework/plugin/stamp.hpp>
#include <harmonium/tests/support/paths.hpp>

namespace plugins_test {

using namespace harmonium::testing;
namespace fs = std::filesystem;

namespace {

const std::string built = HARMONIUM_TEST_PLUGINS;

std::string file_of(const std::string& name) { return built + "/" + name + ".so"; }

/// A folder that plugins are looked for in as long as this lives, and nowhere else but where the program is.
class PluginFolder : public ScratchFolder {
 public:
  PluginFolder() { ::setenv("HARMONIUM_PLUGIN_PATH", ("/nowhere::" + path().string()).c_str(), 1); }
  ~PluginFolder() { ::unsetenv("HARMONIUM_PLUGIN_PATH"); }
  void take(const std::string& name) const { take(name, name); }
  void take(const std::string& name, const std::string& as) const {
    fs::copy_file(file_of(name), *this / (as + ".so"), fs::copy_options::overwrite_existing);
  }
};

constexpr const char* ring_config = R"(seed = 3
precision = "float64"
plugins = ["ring"]

[data]
type = "one_d_ball"
size = 8

[model]
type = "ring"
size = 8

[estimator]
type = "pcd"
num_chains = 40

[estimator.sampler]
type = "segment_flips"

[training]
num_epochs = 4
batch_size = 8
)";

void refused(const std::string& plugin, std::string_view pattern) {
  const ScratchFolder folder;
  check_refusal(run(folder, {"list", "--plugin", plugin}), 2, pattern);
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a plugin that is named is found in the folders of HARMONIUM_PLUGIN_PATH, trains, and is recorded") {
  const PluginFolder folder;
  folder.write("ring.toml", ring_config);
  check_refusal(run(folder, {"train", "ring.toml", "--output", "run"}), 2,
                "ring.toml:3:12: plugin 'ring' is not found: there is no ring.so in /nowhere, " +
                    folder.path().string() + ", *. Give its file by --plugin, or its folder in HARMONIUM_PLUGIN_PATH.");
  folder.take("ring");
  CHECK(run(folder, {"train", "ring.toml", "--output", "run", "--quiet"}).status == 0);
  CHECK(has(content_of(folder / "run/config.toml"), "plugins = [\"ring\"]"));
  CHECK(has(content_of(folder / "run/model.h5"), "ring 0.1.0"));
  // Every command that takes a model or a configuration finds it again.
  CHECK(run(folder, {"evaluate", "run/model.h5"}).status == 0);
  CHECK(run(folder, {"sample", "run/model.h5", "--num-samples", "5", "--steps", "30", "--sampler", "segment_flips",
                     "--output", "s.npy"})
            .status == 0);
  CHECK(run(folder, {"explain", "ring.toml"}).status == 0);
  CHECK(run(folder, {"explain", "run/model.h5"}).status == 0);
  CHECK(run(folder, {"train", "--resume", "run"}).status == 0);
  CHECK(run(folder, {"gradient", "run/model.h5", "--set", "data.type=one_d_ball", "--set", "data.size=8", "--estimator",
                     "cd", "--output", "g.h5"})
            .status == 0);
  // In the other precision there is none.
  check_refusal(run(folder, {"train", "ring.toml", "--set", "precision=float32", "--output", "single"}), 2,
                "ring.toml:3:12: plugin 'ring' is there for float64 alone (*/ring.so). Build it for float32 too, as "
                "harmonium_add_plugin does, or set the precision.");
  folder.take("ring_f32");
  CHECK(run(folder, {"train", "ring.toml", "--set", "precision=float32", "--output", "single"}).status == 0);
}

TEST_CASE("a plugin may be given as a file, in either precision, and serves its name in the configuration") {
  const ScratchFolder folder;
  folder.write("ring.toml", ring_config);
  for (const char* precision : {"float64", "float32"}) {
    for (const std::string& plugin : {file_of("ring"), file_of("ring_f32"), built + "/ring"}) {
      CAPTURE(precision);
      CAPTURE(plugin);
      CHECK(run(folder, {"train", "ring.toml", "--plugin", plugin, "--output", "run", "--overwrite", "--set",
                         std::string("precision=") + precision, "--quiet"})
                .err == "");
      CHECK(run(folder, {"evaluate", "run/model.h5", "--plugin", plugin}).status == 0);
    }
  }
  // A configuration that names none has it from the command line, and the run's own names it.
  CHECK(run(folder, {"train", "ring.toml", "--plugin", file_of("ring"), "--set", "plugins=[]", "--output", "other"})
            .status == 0);
  CHECK(has(content_of(folder / "other/config.toml"), "plugins = [\"ring\"]"));
  const Outcome init = run(folder, {"sample", "other/model.h5", "--plugin", file_of("ring"), "--num-samples", "20",
                                    "--steps", "5", "--output", "rows.npy"});
  CHECK(init.status == 0);
  const Outcome proposed = run(folder, {"init", "rows.npy", "--plugin", file_of("ring"), "--set",
                                        "model={type=\"ring\", size=8}", "--set", "estimator.centering=false"});
  CHECK(proposed.err == "");
  CHECK(has(proposed.out, "plugins = [\"ring\"]"));
  CHECK(run(folder, {"draw", "rows.npy", "--plugin", file_of("ring"), "--output", "x.png"}).status == 0);
}

TEST_CASE("a component of a plugin that is found and not loaded is told with the plugin and what to type") {
  const PluginFolder folder;
  folder.write("ring.toml", ring_config);
  const Words train{"train", "ring.toml", "--set", "plugins=[]", "--output", "run"};
  check_refusal(run(folder, {"describe", "sampler", "segment_flips"}), 2,
                "there is no sampler called 'segment_flips'. See 'harmonium list sampler'.");
  check_refusal(run(folder, train), 2, "ring.toml:*: model 'ring' is not registered*Known: *");
  // Under another name it is not found by its own.
  folder.take("ring", "wheel");
  check_refusal(run(folder, {"describe", "segment_flips"}), 2,
                "there is no component or option called 'segment_flips'*");
  folder.take("ring_f32");
  check_refusal(
      run(folder, {"describe", "segment_flips"}), 2,
      "sampler 'segment_flips' is of the plugin 'ring', which is not loaded. Type 'harmonium describe sampler "
      "segment_flips --plugin ring'.");
  folder.take("ring");
  check_refusal(run(folder, {"describe", "model", "ring"}), 2,
                "model 'ring' is of the plugin 'ring', which is not loaded. Type 'harmonium describe model ring "
                "--plugin ring'.");
  check_refusal(run(folder, {"describe", "observer", "segment_flips"}), 2,
                "there is no observer called 'segment_flips'. See 'harmonium list observer'.");
  CHECK(run(folder, {"describe", "model", "ring", "--plugin", "ring"}).status == 0);
  check_refusal(
      run(folder, train), 2,
      "ring.toml:*: model 'ring' is not registered: the plugin 'ring' has it, which is not loaded. Add --plugin "
      "ring, or plugins = [\"ring\"] at the top of the configuration.");
}

TEST_CASE("a model file names plugins by their names alone") {
  const PluginFolder folder;
  folder.take("ring");
  folder.write("ring.toml", ring_config);
  CHECK(run(folder, {"train", "ring.toml", "--output", "run", "--quiet"}).status == 0);
  for (const char* name : {"./ring.so", "../ring", "Ring", "", "ring.so"}) {
    CAPTURE(name);
    check_refusal(run(folder, {"train", "ring.toml", "--set", std::string("plugins=[\"") + name + "\"]"}), 2,
                  "*'" + std::string(name) +
                      "' cannot be the name of a plugin, and a configuration names no files. Give the name alone, and "
                      "its folder in HARMONIUM_PLUGIN_PATH or its file by --plugin.");
  }
  // The same in a model's file, whoever wrote it: the name in it is of one length with a path.
  std::string model = content_of(folder / "run/model.h5");
  const auto at = model.find("plugins = [\"ring\"]");
  REQUIRE(at != std::string::npos);
  model.replace(at, 18, "plugins = [\"./ri\"]");
  folder.write("evil.h5", model);
  check_refusal(run(folder, {"evaluate", "evil.h5"}), 2,
                "evil.h5: config:3:12: './ri' cannot be the name of a plugin*");
}

TEST_CASE("a model that does not need a plugin of its run is taken without it") {
  const PluginFolder folder;
  folder.take("ring");
  folder.write("small.toml", small_config);
  CHECK(run(folder, {"train", "small.toml", "--set", "plugins=[\"ring\"]", "--output", "run"}).status == 0);
  fs::remove(folder / "ring.so");
  const Outcome outcome = run(folder, {"evaluate", "run/model.h5"});
  CHECK(outcome.status == 0);
  CHECK(like(outcome.err, "*plugin 'ring' is not found: * The model is taken without it.\n"));
}

TEST_CASE("every kind of component can be provided by a plugin, and is described as the built-in ones are") {
  const ScratchFolder folder;
  const Words plugin{"--plugin", file_of("every_kind")};
  const std::string all = run(folder, {"list", plugin[0], plugin[1]}).out;
  for (const char* kind : {"model", "unit", "initializer", "sampler", "phase", "estimator", "log_partition",
                           "optimizer", "schedule", "regularizer", "observer", "data"}) {
    CAPTURE(kind);
    CHECK(has(all, std::string("  my_") + kind + " "));
    CHECK(like(run(folder, {"describe", kind, std::string("my_") + kind, plugin[0], plugin[1]}).out,
               std::string(kind) + " 'my_" + kind + "' (plugin every_kind 1.2.3)\n*"));
  }
  folder.write("c.toml", R"(
data = { type = "my_data" }
model = { type = "my_model" }
initializer = { type = "my_initializer" }
estimator = { type = "my_estimator" }
optimizer = { type = "my_optimizer" }
regularizers = [{ type = "my_regularizer" }]
observers = [{ type = "my_observer" }]
training = { num_epochs = 2 }
)");
  for (const char* precision : {"precision=float64", "precision=float32"})
    CHECK(run(folder, {"train", "c.toml", plugin[0], plugin[1], "--set", precision, "--output", "run", "--overwrite",
                       "--quiet"})
              .err == "");
  CHECK(run(folder, {"evaluate", "run/model.h5", "--log-z", "my_log_partition", plugin[0], plugin[1]}).status == 0);
  CHECK(run(folder, {"draw", "my_data", plugin[0], plugin[1], "--output", "rows.png"}).status == 0);
  check_refusal(run(folder, {"draw", "my_data", "--output", "rows.png"}), 2, "my_data: no such file or folder");
}

TEST_CASE("what cannot be loaded is refused with its own reason, before any of its code runs") {
  const ScratchFolder folder;
  refused("/nowhere/x.so", "/nowhere/x.so: there is no such file.");
  refused(folder.path().string() + "/", "*: there is no such file.");
  refused(folder.write("text.so", "not a program"), "*/text.so: this is not a shared object.");
  refused(folder.write("empty.so", ""), "*/empty.so: this is not a shared object.");
  refused(program_path(), "*harmonium.so: there is no such file.");
  refused("no-such", "--plugin no-such: neither the name of a plugin nor a file that ends in .so.");
  refused("none", "--plugin: plugin 'none' is not found: there is no none*.so in *");
  refused(file_of("no_stamp"),
          "*/no_stamp.so: a shared object, but no plugin: it has no 'harmonium_plugin_stamp'. Write "
          "HARMONIUM_PLUGIN(...) once, outside of any namespace.");
  // Their globals would abort the program.
  refused(file_of("other_abi"),
          "*/other_abi.so: built for plugin interface 99 (Harmonium 9.9.0), and this is interface " +
              std::to_string(HARMONIUM_PLUGIN_ABI) + " (Harmonium *). Build it again against this Harmonium.");
  refused(
      file_of("other_toolchain"),
      "*/other_toolchain.so: built with 'another standard library', and this Harmonium with 'libstdc++ cxx11abi=1'. "
      "Build it with the same library.");
  refused(file_of("no_enroll"), "*/no_enroll.so: it has no function 'harmonium_plugin_enroll'. Write *");
  refused(file_of("undefined"),
          "*/undefined.so: it cannot be loaded: *undefined symbol: nobody_has_this. Build it again*");
  refused(file_of("throws"), "*/throws.so: plugin faulty 0.3.0 could not enrol its components: the moon is full");
  refused(file_of("throws_a_number"),
          "*/throws_a_number.so: plugin faulty 0.3.0 could not enrol its components: it threw something that is no "
          "std::exception.");
  refused(file_of("duplicate"),
          "*/duplicate.so: plugin duplicate 0.2.0 could not enrol its components: schedule 'linear' has two origins: "
          "built in, and plugin duplicate 0.2.0.");
  // Cut short: whoever loaded that would be killed.
  const std::string whole = content_of(file_of("ring"));
  for (const std::size_t length : {whole.size() / 2, whole.size() / 10, std::size_t{200}, std::size_t{64}}) {
    CAPTURE(length);
    refused(folder.write("short.so", whole.substr(0, length)), "*/short.so: *");
  }
}

TEST_CASE("a plugin of the other precision alone is refused by its stamp") {
  const PluginFolder folder;
  folder.write("ring.toml", ring_config);
  folder.take("other_precision", "alone");
  check_refusal(run(folder, {"train", "ring.toml", "--plugin", "./alone.so"}), 2,
                "./alone.so: built for precision = \"float32\", and what is run has \"float64\". Build it for that, as "
                "harmonium_add_plugin does, or set the precision.");
}

TEST_CASE("two plugins of one name are refused, and the file that is loaded already is not") {
  const PluginFolder folder;
  folder.write("ring.toml", ring_config);
  folder.take("ring");
  check_refusal(run(folder, {"list", "--plugin", "ring", "--plugin", file_of("ring")}), 2,
                file_of("ring") + ": a plugin called 'ring' is loaded already, from " + folder.path().string() +
                    "/ring.so. Leave one out.");
  CHECK(run(folder, {"list", "--plugin", "ring", "--plugin", "./ring.so"}).status == 0);
  folder.take("ring", "wheel");
  check_refusal(run(folder, {"train", "ring.toml", "--set", "plugins=[\"wheel\"]"}), 2,
                "*/wheel.so: the plugin in it calls itself 'ring'. Give the file that name.");
}

TEST_CASE("plugins lists what is found and what each provides, and goes on where one fails") {
  const PluginFolder folder;
  CHECK(run(folder, {"plugins"}).status == 0);
  for (const char* name : {"throws", "ring", "ring_f32", "duplicate", "other_abi"}) folder.take(name);
  const Outcome outcome = run(folder, {"plugins"});
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  const std::string here = folder.path().string();
  const std::string ring =
      "ring 0.1.0: a ring of units, and a sampler for it\n  float64: " + here + "/ring.so\n  float32: " + here +
      "/ring_f32.so\n"
      "  model         ring                    units on a ring, each coupled to its two neighbors\n"
      "  sampler       segment_flips           flips stretches of units of two states (Metropolis)\n";
  CHECK(has(outcome.out, ring));
  CHECK(has(outcome.out, "not loaded: " + here + "/throws.so: plugin faulty 0.3.0 could not enrol"));
  CHECK(has(outcome.out, "not loaded: " + here + "/other_abi.so: built for plugin interface 99"));
  CHECK(has(outcome.out, "two origins: built in, and plugin duplicate 0.2.0."));
  // A file that was asked for is an error.
  CHECK(run(folder, {"plugins", "--plugin", "./throws.so"}).status == 1);
  CHECK(run(folder, {"plugins", "--plugin", "./throws"}).status == 1);
  CHECK(run(folder, {"plugins", "--plugin", "./absent.so"}).status == 1);
  CHECK(run(folder, {"plugins", "--plugin", "./ring.so"}).status == 0);
  check_refusal(run(folder, {"plugins", "--plugin", "ring"}), 2,
                "--plugin ring: what is found by its name is listed anyway. Give a file.");
}

TEST_CASE("plugins tells of two files in one folder that hold a plugin of one name") {
  const PluginFolder folder;
  folder.take("ring");
  folder.take("ring_f32");
  CHECK(!has(run(folder, {"plugins"}).out, "one name"));  // the two precisions of one plugin are no clash
  folder.take("ring", "wheel");
  folder.take("ring_f32", "wheel_f32");
  const Outcome outcome = run(folder, {"plugins"});
  CHECK(outcome.status == 0);
  const std::string here = folder.path().string();
  CHECK(
      has(outcome.out, "one name: " + here + "/ring.so and " + here +
                           "/wheel.so both hold a plugin called 'ring', and a configuration finds ring.so alone. Leave "
                           "one out, or build it under another name.\n"));
  CHECK(has(outcome.out, "one name: " + here + "/ring_f32.so and " + here + "/wheel_f32.so both hold"));
}

TEST_CASE("plugins tells of a file that another of its name in an earlier folder hides") {
  const PluginFolder folder;
  for (const char* name : {"first", "second", "given"}) fs::create_directory(folder / name);
  const std::string here = folder.path().string();
  ::setenv("HARMONIUM_PLUGIN_PATH", (here + "/first:" + here + "/second").c_str(), 1);
  for (const char* file : {"first/ring", "second/ring", "second/ring_f32", "given/ring"})
    folder.take(std::string(file).ends_with("_f32") ? "ring_f32" : "ring", file);
  const Outcome outcome = run(folder, {"plugins", "--plugin", "given/ring.so"});
  CHECK(outcome.status == 0);
  const std::string hidden = "one name: " + here + "/second/ring.so is never found by its name, as " + here +
                             "/first/ring.so is in an earlier folder. Leave one out, or give it as a file.\n";
  CHECK(has(outcome.out, hidden));
  // Neither the twin, which is in one folder alone, nor what was given as a file.
  CHECK(outcome.out.find("is never found") == outcome.out.rfind("is never found"));
  fs::remove(folder / "first/ring.so");
  CHECK(!has(run(folder, {"plugins"}).out, "is never found"));
}

TEST_CASE("check passes the template's plugin in both precisions, and the built-in parts") {
  const ScratchFolder folder;
  folder.write("ring.toml", ring_config);
  folder.write("small.toml", small_config);
  folder.write("gaussian.toml", std::string(small_config) + "\n[model.visible_units]\ntype = \"gaussian\"\n");
  for (const char* precision : {"precision=float64", "precision=float32"}) {
    const Outcome ring = run(folder, {"check", "ring.toml", "--plugin", file_of("ring"), "--set", precision});
    INFO(ring.out);
    CHECK(ring.status == 0);
    CHECK(ring.err == "");
    CHECK(has(ring.out, "sampler 'segment_flips' (ring.toml:17:1)"));
    CHECK(has(ring.out, "ok       exact start, one transition"));
    CHECK(!has(ring.out, "FAILED"));
  }
  // One in each: tests of the folder conformance hold them to the same in both.
  for (const auto& words : {Words{"small.toml", "precision=float64"}, Words{"gaussian.toml", "precision=float32"}}) {
    const Outcome outcome = run(folder, {"check", words[0], "--set", words[1]});
    INFO(outcome.out);
    CHECK(outcome.status == 0);
    CHECK(outcome.err == "");
  }
}

TEST_CASE("check tells what failed once more at the end, and with --quiet alone") {
  const ScratchFolder folder;
  folder.write("ring.toml", ring_config);
  const Outcome all = run(folder, {"check", "ring.toml", "--plugin", file_of("ring_sign")}),
                quiet = run(folder, {"check", "ring.toml", "--plugin", file_of("ring_sign"), "--quiet"});
  INFO(all.out);
  CHECK(quiet.status == 1);
  CHECK(quiet.err == "");
  CHECK(quiet.out.starts_with("model 'ring' (ring.toml:"));
  CHECK(has(quiet.out, "\n  FAILED   gradient against differences of the energy\n"));
  CHECK(has(quiet.out, "add_gradient, 'coupling'[0]: "));
  CHECK(!has(quiet.out, "  ok "));
  CHECK(!has(quiet.out, "  note "));
  const auto again = all.out.find("\nWhat failed:\n\n" + quiet.out + "\n");
  CHECK(again != std::string::npos);
  CHECK(like(all.out.substr(again + 16 + quiet.out.size()), "*of * checks failed. Notes: *. Skipped: *.\n"));
  CHECK(all.out.find("FAILED") < again);
  const Outcome right = run(folder, {"check", "ring.toml", "--plugin", file_of("ring"), "--quiet"});
  CHECK(right.status == 0);
  CHECK(right.out == "");
}

TEST_CASE("check fails copies of the template's plugin with a planted fault, and says where") {
  const ScratchFolder folder;
  folder.write("ring.toml", ring_config);
  const auto fails = [&](const char* name, const Words& expected) {
    const Outcome outcome = run(folder, {"check", "ring.toml", "--plugin", file_of(name)});
    INFO(outcome.out);
    CHECK(outcome.status == 1);
    CHECK(outcome.err == "");
    for (const std::string& words : expected) CHECK(has(outcome.out, words));
  };
  fails("ring_sign",
        {"model 'ring'", "FAILED   gradient against differences of the energy", "add_gradient, 'coupling'[0]: "});
  fails("ring_shared",
        {"sampler 'segment_flips'", "FAILED   chains are independent", "A random word is shared by chains"});
  fails("ring_forgetful", {"sampler 'segment_flips'", "FAILED   state saved and restored",
                           "Something that it remembers is not in its state."});
}

}  // namespace plugins_test
