#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/zip_archive.hpp>

#include <doctest/doctest.h>

#include "files.hpp"

namespace gradient_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

class GradientFolder : public ScratchFolder {
 public:
  GradientFolder() {
    write_foreign_model(*this / "m.h5");
    write("d.npy", npy_bytes(8, 3, bit_rows(8, 3)));
  }
  Outcome estimate(const Words& more) const {
    Words words{"gradient", "m.h5", "--data", "d.npy", "--output", "g.h5"};
    words.insert(words.end(), more.begin(), more.end());
    return run(*this, words);
  }
};

double figure(double sum) { return std::sqrt(sum); }

}  // namespace

TEST_CASE("the gradient has the tensors of the model and points up the likelihood") {
  const GradientFolder folder;
  const Outcome outcome = folder.estimate({"--estimator", "exact", "--json"});
  CHECK(outcome.err == "");
  const Hdf5File g = Hdf5File::open(folder / "g.h5"), m = Hdf5File::open(folder / "m.h5");
  CHECK(g.children("gradient") == m.children("parameters"));
  for (const std::string& name : g.children("gradient"))
    CHECK(g.shape("gradient/" + name) == m.shape("parameters/" + name));
  CHECK(!g.exists("variance"));
  CHECK(!g.exists("against"));
  // d/db of the mean log likelihood is the data's mean, ½ in each column, minus the model's.
  const std::vector<double> ascent = g.read<double>("gradient/bias.visible").values;
  CHECK(ascent[2] < -0.3);  // the model's third unit is nearly always 1
  const auto figures = nlohmann::json::parse(outcome.out);
  CHECK(figures["estimator"] == "exact");
  CHECK(figures["repeats"] == 1);
  CHECK(figures["warm_up"] == 0);
  CHECK(figures["each_repeat"] == "an estimator of its own, its chains from their start");
  CHECK(figures["positive_phase"]["method"] == "exact posterior means");
  CHECK(figures["positive_phase"]["exact"] == true);
  CHECK(figures["negative_phase"]["method"] == "exact, by enumeration");
  CHECK(figures["against"].is_null());
  CHECK(figures["tensors"].size() == 3);
  CHECK(figures["tensors"]["bias.visible"]["variance"].is_null());
  CHECK(figures["tensors"]["bias.visible"]["cosine"].is_null());
  double sum = 0.0;
  for (const double v : ascent) sum += v * v;
  CHECK(figures["tensors"]["bias.visible"]["norm"].get<double>() == doctest::Approx(figure(sum)).epsilon(1e-13));
}

TEST_CASE("against the exact gradient there are bias, variance, cosine and signs for each tensor") {
  const GradientFolder folder;
  const Outcome outcome = folder.estimate({"--estimator", "cd", "--repeats", "40", "--against", "exact", "--json"});
  CHECK(outcome.err == "");
  const auto figures = nlohmann::json::parse(outcome.out);
  const Hdf5File g = Hdf5File::open(folder / "g.h5");
  CHECK(g.children() == Words{"against", "gradient", "variance"});
  for (const auto& item : figures["tensors"].items()) {
    const std::string& name = item.key();
    const auto& tensor = item.value();
    CAPTURE(name);
    const auto mean = g.read<double>("gradient/" + name).values, exact = g.read<double>("against/" + name).values,
               variance = g.read<double>("variance/" + name).values;
    double bias = 0, dot = 0, mm = 0, ee = 0, vv = 0, signs = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
      bias += (mean[i] - exact[i]) * (mean[i] - exact[i]);
      dot += mean[i] * exact[i];
      mm += mean[i] * mean[i];
      ee += exact[i] * exact[i];
      vv += variance[i];
      signs += (mean[i] > 0) != (exact[i] > 0) ? 1 : 0;
    }
    const auto n = static_cast<double>(mean.size());
    CHECK(tensor["bias"].get<double>() == doctest::Approx(std::sqrt(bias)).epsilon(1e-12));
    CHECK(tensor["cosine"].get<double>() == doctest::Approx(dot / std::sqrt(mm * ee)).epsilon(1e-12));
    CHECK(tensor["variance"].get<double>() == doctest::Approx(vv).epsilon(1e-12));
    CHECK(tensor["noise"].get<double>() == doctest::Approx(std::sqrt(vv / 40.0)).epsilon(1e-12));
    CHECK(tensor["sign_disagreement"].get<double>() == doctest::Approx(signs / n));
  }
  CHECK(figures["all"]["bias"].is_number());
}

TEST_CASE("an estimator compared with itself has no bias, and longer chains have less") {
  const GradientFolder folder;
  const auto bias = [&](const Words& more) {
    Words words{"--against", "exact", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = folder.estimate(words);
    CHECK(outcome.err == "");
    return nlohmann::json::parse(outcome.out)["all"]["bias"].get<double>();
  };
  CHECK(bias({"--estimator", "exact"}) == 0.0);
  CHECK(bias({"--estimator", "cd", "--repeats", "2000", "--set", "estimator.gibbs_steps=30"}) <
        0.5 * bias({"--estimator", "cd", "--repeats", "2000"}));
}

TEST_CASE("for people there is one line a tensor") {
  const GradientFolder folder;
  check_golden("gradient", folder.estimate({"--estimator", "exact", "--against", "exact"}).out);
  const Outcome quiet = folder.estimate({"--estimator", "exact", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(quiet.out.starts_with("positive phase: exact posterior means (exact)\n"));  // figures are no remarks
  CHECK(quiet.err == "");
}

TEST_CASE("a warm-up moves on the chains that persist, and those of contrastive divergence start again all the same") {
  const GradientFolder folder;
  const auto bias = [&](const Words& more) {
    Words words{"--against", "exact", "--repeats", "2000", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = folder.estimate(words);
    CHECK(outcome.err.find("harmonium: ") == std::string::npos);  // no remarks; a slow machine may tell its progress
    return nlohmann::json::parse(outcome.out)["all"]["bias"].get<double>();
  };
  // After 30 estimates of one step the chains are where 31 steps in one estimate would have them: the noise of 2000 × 8
  // chains aside the same bias, and far less than after the first.
  const double first = bias({"--estimator", "pcd"}), warm = bias({"--estimator", "pcd", "--warm-up", "30"}),
               long_one = bias({"--estimator", "pcd", "--set", "estimator.gibbs_steps=31"});
  CHECK(warm < 0.5 * first);
  CHECK(std::abs(warm - long_one) < 0.2 * first);
  const double cd = bias({"--estimator", "cd"});
  CHECK(std::abs(bias({"--estimator", "cd", "--warm-up", "30"}) - cd) < 0.2 * cd);

  const Outcome told = folder.estimate({"--estimator", "pcd", "--warm-up", "30", "--threads", "1"});
  CHECK(like(told.out,
             "positive phase: exact posterior means (exact)\nnegative phase: 8 chains, 1 steps (not exact)\neach "
             "repeat:    an estimator of its own, after 30 that do not count\n\ntensor *"));
  const std::string file = content_of(folder / "g.h5");
  CHECK(folder.estimate({"--estimator", "pcd", "--warm-up", "30", "--threads", "3"}).out == told.out);
  CHECK(content_of(folder / "g.h5") == file);
  check_refusal(folder.estimate({"--estimator", "pcd", "--warm-up", "-1"}), 2, "*--warm-up*'-1' is not allowed*");
}

TEST_CASE("the gradient says which positive phase it took, and whether that is exact for this model") {
  const CliFolder folder;
  folder.write("general.toml", R"(seed = 3
precision = "float64"
data = { type = "bars_and_stripes", side = 2 }
model = { type = "boltzmann_machine", num_visible = 4, num_hidden = 3 }
estimator = { type = "pcd" }
training = { batch_size = 6, num_updates = 5 }
)");
  CHECK(run(folder, {"train", "general.toml", "--output", "general", "--quiet"}).status == 0);
  const auto positive = [&](const Words& more) {
    Words words{"gradient", "general/model.h5", "--set", "data.side=2", "--output", "g.h5", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(folder, words);
    CHECK(outcome.err == "");
    return nlohmann::json::parse(outcome.out);
  };
  const auto field = positive({"--estimator", "pcd"})["positive_phase"];
  CHECK(field["method"].get<std::string>().starts_with("mean field, "));
  CHECK(field["exact"] == false);
  const auto exact = positive({"--estimator", "pcd", "--set", "estimator.positive.type=exact"})["positive_phase"];
  CHECK(exact["method"] == "exact, by enumeration of the latent units");
  CHECK(exact["exact"] == true);

  // Another loss has no negative phase.
  const GradientFolder foreign;
  const Outcome outcome = foreign.estimate({"--estimator", "ratio_matching", "--json"});
  const auto ratio = nlohmann::json::parse(outcome.out);
  CHECK(ratio["positive_phase"]["method"] == "all neighbors of the data");
  CHECK(ratio["negative_phase"].is_null());
}

TEST_CASE("a gradient needs data, from a file or from a generator") {
  const CliFolder folder;
  folder.trained();
  write_foreign_model(folder / "m.h5");
  check_refusal(run(folder, {"gradient", "m.h5", "--estimator", "cd", "--output", "g.h5"}), 2,
                "gradient: no data is given. Add --data FILE, or say what to make with --set data.type=NAME.");
  CHECK(
      run(folder, {"gradient", "run/model.h5", "--estimator", "cd", "--output", "g.h5", "--set", "data.side=3"}).err ==
      "");
  CHECK(Hdf5File::open(folder / "g.h5").is_group("gradient"));
}

TEST_CASE("gradient replaces its output, and refuses one that it cannot write or that it reads") {
  const GradientFolder folder;
  folder.write("g.h5", "old");
  CHECK(folder.estimate({"--estimator", "nothing"}).status == 2);
  CHECK(content_of(folder / "g.h5") == "old");
  CHECK(folder.estimate({"--estimator", "cd"}).status == 0);
  CHECK(Hdf5File::open(folder / "g.h5").is_group("gradient"));
  const auto refused = [&](const char* output, int status, std::string_view pattern) {
    check_refusal(run(folder, {"gradient", "m.h5", "--data", "d.npy", "--estimator", "cd", "--output", output}), status,
                  pattern);
  };
  refused("g.npy", 2, "--output g.npy: gradients are written as .h5 or .npz. Give a name that ends so.");
  refused("m.h5", 2, "--output m.h5: that is the file which the command reads (m.h5). Give another name.");
  refused("none/g.h5", 1, "--output none/g.h5: there is no folder none. Create it first.");
  refused("d.npy/g.h5", 1, "--output d.npy/g.h5: d.npy is not a folder. Give another name.");
}

TEST_CASE(
    "gradients are written as arrays of an archive, which have the names and shapes of those that export writes") {
  const GradientFolder folder;
  const Words words{"gradient", "m.h5", "--data", "d.npy", "--estimator", "cd", "--against", "exact", "--repeats", "3"};
  for (const char* output : {"g.h5", "g.npz"}) {
    Words all = words;
    all.insert(all.end(), {"--output", output});
    const Outcome outcome = run(folder, all);
    REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  }
  REQUIRE(run(folder, {"export", "m.h5", "--output", "m.npz"}).status == 0);
  const Hdf5File g = Hdf5File::open(folder / "g.h5");
  for (const std::string& name : g.children("gradient")) {
    const Table parameters = read_npy(folder / "m.npz", name);
    for (const std::string group : {"gradient", "variance", "against"}) {
      CAPTURE(group + "/" + name);
      const Table written = read_npy(folder / "g.npz", group == "gradient" ? name : group + "." + name);
      const std::vector<double> held = g.read<double>(group + "/" + name).values;
      CHECK(written.rows == parameters.rows);
      CHECK(written.cols == parameters.cols);
      REQUIRE(written.rows * written.cols == held.size());
      for (Index i = 0; i < held.size(); ++i) CHECK(written.at(i / written.cols, i % written.cols) == held[i]);
    }
  }

  // The one coupling of a ring stands at each edge, as export has it.
  folder.write("ring.toml",
               "precision = \"float64\"\n[model]\ntype = \"layered\"\nlayers = [{name = \"ring\", size = 3, units = "
               "\"binary\"}]\n"
               "terms = [{type = \"lattice\", layer = \"ring\", shape = [3]}]\n");
  REQUIRE(run(folder, {"import", "ring.toml", "--output", "ring.h5"}).status == 0);
  REQUIRE(run(folder, {"export", "ring.h5", "--output", "ring.npz"}).status == 0);
  const Outcome outcome = run(folder, {"gradient", "ring.h5", "--data", "d.npy", "--estimator", "pseudo_likelihood",
                                       "--output", "of_ring.npz"});
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  std::set<std::string> exported, written;
  for (const ZipMember& member : read_zip_directory(folder / "ring.npz"))
    if (member.name != "config.npy") exported.insert(member.name);
  for (const ZipMember& member : read_zip_directory(folder / "of_ring.npz")) written.insert(member.name);
  CHECK(written == exported);
}

TEST_CASE("gradient without an output tells the same, and writes nothing") {
  const GradientFolder folder;
  const Words words{"gradient", "m.h5", "--data", "d.npy", "--estimator", "cd", "--against", "exact", "--repeats", "3"};
  const Outcome told = run(folder, words);
  CHECK(told.status == 0);
  CHECK(told.err == "");
  CHECK_FALSE(std::filesystem::exists(folder / "g.h5"));
  Words kept = words;
  kept.insert(kept.end(), {"--output", "g.h5"});
  CHECK(run(folder, kept).out == told.out);
  CHECK(Hdf5File::open(folder / "g.h5").is_group("against"));
}

TEST_CASE("every estimator is compared with the exact gradient, its repeats the same on any number of threads") {
  const GradientFolder folder;
  for (const std::string name :
       {"cd", "pcd", "naive_mcmc", "unbiased_cd", "tempered_pcd", "fast_weights_pcd", "pseudo_likelihood",
        "ratio_matching", "minimum_probability_flow", "reconstruction_error"}) {
    CAPTURE(name);
    Words words{"--estimator", name, "--against", "exact", "--repeats", "5", "--json", "--threads"};
    if (name == "tempered_pcd")
      words = {
          "--set", "estimator.betas=[1, 0.5]", words[0], words[1], words[2], words[3], words[4], words[5], words[6],
          words[7]};
    Words one = words, three = words;
    one.push_back("1");
    three.push_back("3");
    const Outcome alone = folder.estimate(one);
    CHECK(alone.err == "");
    const std::string file = content_of(folder / "g.h5");
    const Outcome together = folder.estimate(three);
    CHECK(together.err == "");
    CHECK(alone.out == together.out);
    CHECK(content_of(folder / "g.h5") == file);
    const auto all = nlohmann::json::parse(alone.out)["all"];
    CHECK(all["cosine"].get<double>() > 0.0);
    CHECK(all["cosine"].get<double>() <= 1.0 + 1e-12);
  }
}

TEST_CASE("meeting times are those of all repeats") {
  const GradientFolder folder;
  const auto longest = [&](const char* repeats) {
    const Outcome outcome = folder.estimate({"--estimator", "unbiased_cd", "--repeats", repeats, "--json"});
    REQUIRE(outcome.status == 0);
    const std::string method = nlohmann::json::parse(outcome.out)["negative_phase"]["method"];
    CHECK(method.starts_with("coupled chains from step "));
    const std::string mark = "on average, ";
    return std::stoi(method.substr(method.find(mark) + mark.size()));
  };
  CHECK(longest("60") > longest("1"));
}

}  // namespace gradient_test
