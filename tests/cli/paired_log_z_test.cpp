// evaluate MODEL --against OTHER where neither has rows: the difference of log Z.
#include <cmath>
#include <string>
#include <utility>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "judged.hpp"

namespace paired_log_z_test {

using namespace harmonium::testing;
using nlohmann::json;

namespace {

/// ring.h5 and broken.h5: four spins around a ring, with all couplings 1 and with one of −1.
void write_rings(const ScratchFolder& folder) {
  for (const bool broken : {false, true}) {
    const std::string name = broken ? "broken" : "ring";
    folder.write(name + ".txt", std::string("4 4\n1 2 1\n2 3 1\n3 4 1\n4 1 ") + (broken ? "-1\n" : "1\n"));
    REQUIRE(run(folder, {"import", name + ".txt", "--output", name + ".h5", "--precision",
                         broken ? "float32" : "float64", "--quiet"})
                .status == 0);
  }
}

/// near.h5, a ring with one coupling of 1.05, and far.h5, with all of them −1.
void write_near_and_far(const ScratchFolder& folder) {
  folder.write("near.txt", "4 4\n1 2 1\n2 3 1\n3 4 1\n4 1 1.05\n");
  folder.write("far.txt", "4 4\n1 2 -1\n2 3 -1\n3 4 -1\n4 1 -1\n");
  for (const std::string name : {"near", "far"})
    REQUIRE(run(folder, {"import", name + ".txt", "--output", name + ".h5", "--quiet"}).status == 0);
}

/// log[(2 cosh β)⁴ ± (2 sinh β)⁴], by the transfer matrix.
double log_z_of_ring(double beta, double sign) {
  return std::log(std::pow(2.0 * std::cosh(beta), 4) + sign * std::pow(2.0 * std::sinh(beta), 4));
}

}  // namespace

TEST_CASE("two models that know no data differ in log Z, exactly where both are exact") {
  const ScratchFolder folder;
  write_rings(folder);  // one in double, the other in single precision
  for (const char* beta : {"0.5", "1"}) {
    const double one = log_z_of_ring(std::stod(beta), 1.0), other = log_z_of_ring(std::stod(beta), -1.0);
    const json all = evaluated(folder, {"ring.h5", "--against", "broken.h5", "--beta", beta});
    CHECK(all["model"] == "ring.h5");
    CHECK(all["against"] == "broken.h5");
    CHECK(all["parts"].empty());
    const json& z = all["log_z"];
    CHECK(z["model"].get<double>() == doctest::Approx(one).epsilon(1e-6));
    CHECK(z["against"].get<double>() == doctest::Approx(other).epsilon(1e-6));
    CHECK(z["difference"].get<double>() == z["model"].get<double>() - z["against"].get<double>());
    CHECK(z["difference"].get<double>() > 0.0);
    CHECK(z["interval"] == json::array({z["difference"], z["difference"]}));
    CHECK(z["reasons"].empty());
    const json turned = evaluated(folder, {"broken.h5", "--against", "ring.h5", "--beta", beta})["log_z"];
    CHECK(turned["difference"].get<double>() == -z["difference"].get<double>());
  }
  const Outcome text = run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--beta", "0.5"});
  CHECK(text.status == 0);
  CHECK(like(text.out,
             "* ring.h5 * broken.h5 * difference\nlog_z * 3.297* 3.206* 0.091* nats, exact\n\nDifferences of "
             "likelihoods: add --data FILE.\n"));
}

TEST_CASE("at several temperatures the difference of log Z is that at each of them") {
  const ScratchFolder folder;
  write_rings(folder);
  const json all = evaluated(folder, {"ring.h5", "--against", "broken.h5", "--temperatures", "1,2,4"});
  CHECK(all["model"] == "ring.h5");
  CHECK(all["against"] == "broken.h5");
  REQUIRE(all["temperatures"].size() == 3);
  for (const auto& t : all["temperatures"]) {
    const double beta = t["beta"].get<double>();
    CAPTURE(beta);
    CHECK(t["log_z"]["difference"].get<double>() ==
          doctest::Approx(log_z_of_ring(beta, 1.0) - log_z_of_ring(beta, -1.0)).epsilon(1e-5));
  }
  CHECK(all["temperatures"][0]["beta"] == 0.25);
  const Outcome text = run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--temperatures", "2"});
  CHECK(text.status == 0);
  CHECK(like(text.out,
             "* ring.h5 * broken.h5 * difference\nT = 2 * 3.297* 3.206* 0.091* nats, exact\n\nEach is log Z; *"));
  CHECK(like(run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--betas", "0.5"}).out,
             "*beta = 0.5 * 3.297*"));
  // Rows are judged at one temperature.
  check_refusal(run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--betas", "0.5,1", "--data",
                             "bars_and_stripes:side=2"}),
                2, "--against broken.h5: differences of the likelihoods of rows are at one temperature, and --betas *");
}

TEST_CASE("half-widths of two estimates of log Z are added in quadrature about their difference") {
  const ScratchFolder folder;
  write_rings(folder);
  write_near_and_far(folder);
  const Words annealed{"--log-z", "ais", "--seed", "1"};
  const auto with = [&](Words words) {
    words.insert(words.end(), annealed.begin(), annealed.end());
    return evaluated(folder, words);
  };
  // Of the draws of the one few could be of the other.
  const json z = with({"ring.h5", "--against", "far.h5"})["log_z"];
  CHECK(like(z["method"].get<std::string>(),
             "The difference is that of two independent estimates: between the models * of 200 draws count, and 50 are "
             "needed for an estimate of the difference itself. More draws are had by --log-z ais --set "
             "log_z.num_chains=*; or compare each with a model C that lies between the two (--against C) and add the "
             "differences, or give more --effort, *"));
  const auto end = [&](const char* of, int k) { return z[of][k].get<double>(); };
  const double a = z["model"].get<double>(), b = z["against"].get<double>(), d = z["difference"].get<double>();
  CHECK(d == doctest::Approx(a - b).epsilon(1e-12));
  const double below =
                   std::sqrt(std::pow(a - end("model_interval", 0), 2) + std::pow(end("against_interval", 1) - b, 2)),
               above =
                   std::sqrt(std::pow(end("model_interval", 1) - a, 2) + std::pow(b - end("against_interval", 0), 2));
  CHECK(below > 0.0);
  CHECK(end("interval", 0) == doctest::Approx(d - below).epsilon(1e-10));
  CHECK(end("interval", 1) == doctest::Approx(d + above).epsilon(1e-10));
  // Added as they are, they would be wider.
  CHECK(end("interval", 0) > end("model_interval", 0) - end("against_interval", 1));
  // The first is what it is alone; the other has random numbers of its own.
  CHECK(z["model"] == with({"ring.h5"})["log_z"]);
  const json same = with({"ring.h5", "--against", "ring.h5"})["log_z"];
  CHECK(same["model"] != same["against"]);
  Words words{"evaluate", "ring.h5", "--against", "far.h5"};
  words.insert(words.end(), annealed.begin(), annealed.end());
  CHECK(like(run(folder, words).out,
             "*\nlog_z * nats\nfrom (95 %) *\nto (95 %) *\n\nThe difference is that of two independent *\n\n"
             "Differences of *"));
}

TEST_CASE("of near models the difference is that of draws of both, and far better known than each log Z") {
  const ScratchFolder folder;
  write_rings(folder);
  write_near_and_far(folder);
  const auto compared = [&](const std::string& one, const std::string& other, const std::string& way) {
    return evaluated(folder, {one, "--against", other, "--log-z", way, "--beta", "0.5", "--seed", "1"})["log_z"];
  };
  const auto width = [](const json& z, const char* of) { return z[of][1].get<double>() - z[of][0].get<double>(); };
  const json exact = compared("near.h5", "ring.h5", "exact"), found = compared("near.h5", "ring.h5", "ais");
  CHECK(exact["method"].is_null());
  CHECK(like(found["method"].get<std::string>(),
             "The difference is the acceptance ratio of draws of both models, of which * of 200 count, and not that of "
             "the two estimates."));
  // Half of the interval is 1.97 errors: five times that is never missed.
  const double off = found["difference"].get<double>() - exact["difference"].get<double>();
  CHECK(std::abs(off) < 2.5 * width(found, "interval"));
  CHECK(width(found, "interval") > 0.0);
  CHECK(4.0 * width(found, "interval") < std::hypot(width(found, "model_interval"), width(found, "against_interval")));
  // That is less than the difference itself, so that a wrong sign or none is seen.
  CHECK(2.5 * width(found, "interval") < std::abs(exact["difference"].get<double>()));
  CHECK(found["model"] == evaluated(folder, {"near.h5", "--log-z", "ais", "--beta", "0.5", "--seed", "1"})["log_z"]);
  // A model and itself differ in nothing, whatever each estimate says.
  const json same = compared("ring.h5", "ring.h5", "ais");
  CHECK(std::abs(same["difference"].get<double>()) < 1e-10);
  CHECK(width(same, "interval") < 1e-9);
  // One of them in single precision; they are further apart.
  const json broken = compared("ring.h5", "broken.h5", "ais");
  const double of_sums = log_z_of_ring(0.5, 1.0) - log_z_of_ring(0.5, -1.0);
  CHECK(like(broken["method"].get<std::string>(), "The difference is the acceptance ratio of draws *"));
  CHECK(std::abs(broken["difference"].get<double>() - of_sums) < 2.5 * width(broken, "interval"));
  CHECK(like(run(folder, {"evaluate", "near.h5", "--against", "ring.h5", "--log-z", "ais", "--beta", "0.5"}).out,
             "*\nto (95 %) *\n\nThe difference is the acceptance ratio of draws of both models, *"));
}

TEST_CASE("below a table of several temperatures stands how the differences were found") {
  const ScratchFolder folder;
  write_rings(folder);
  write_near_and_far(folder);
  const auto text = [&](const std::string& other, const char* temperatures) {
    const Outcome found = run(folder, {"evaluate", "ring.h5", "--against", other, "--temperatures", temperatures,
                                       "--log-z", "ais", "--seed", "1", "--quiet"});
    INFO(found.err);
    REQUIRE(found.status == 0);
    return found.out;
  };
  const std::string line = " = * ± * * ± * nats, between * (95 %)\n";
  CHECK(like(text("near.h5", "2,4"),
             "*T" + line + "T" + line +
                 "\nThe differences are acceptance ratios of draws of both models, of which * of 200 or more count,*"
                 "estimates.\n\nEach is log Z, ± reaching to the farther end of its 95 % interval; *"));
  CHECK(like(text("near.h5", "2"),
             "*\nThe difference is the acceptance ratio of draws of both models, of which * of 200 count, *"));
  // Of opposite rings draws overlap in the heat alone.
  CHECK(like(
      text("far.h5", "1,50"),
      "*\nAt T = 50: The difference is the acceptance ratio of draws of both models, *\nAt T = 1: The difference is "
      "that of two independent estimates: *"));
  // Where sums are exact the columns differ by what is shown, and there is nothing to say.
  const Outcome exact = run(folder, {"evaluate", "ring.h5", "--against", "near.h5", "--temperatures", "2,4"});
  CHECK(exact.out.find("±") == std::string::npos);
  CHECK(exact.out.find("The difference") == std::string::npos);
}

TEST_CASE("models of other units or sizes have no draws in common") {
  const ScratchFolder folder;
  write_rings(folder);
  folder.write("five.txt", "5 4\n1 2 1\n2 3 1\n3 4 1\n4 5 1\n");
  REQUIRE(run(folder, {"import", "five.txt", "--output", "five.h5", "--quiet"}).status == 0);
  const json z = evaluated(folder, {"ring.h5", "--against", "five.h5", "--log-z", "ais", "--seed", "1"})["log_z"];
  CHECK(z["difference"].get<double>() == z["model"].get<double>() - z["against"].get<double>());
  CHECK(
      like(z["method"].get<std::string>(), "The difference is that of two independent estimates: the layers of the *"));
}

TEST_CASE("a difference of log Z is absent, with the reasons, where one of the two is") {
  const ScratchFolder folder;
  write_rings(folder);
  const json z = evaluated(folder, {"ring.h5", "--against", "broken.h5", "--log-z", "none"})["log_z"];
  for (const char* figure : {"model", "against", "difference", "interval"}) CHECK(z[figure].is_null());
  CHECK(z["reasons"]["model"] == "it was not asked for (--log-z none).");
  CHECK(z["reasons"]["against"] == z["reasons"]["model"]);
  CHECK(like(run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--log-z", "none"}).out,
             "*\nlog_z * - * - * - * nats\n\nNo log_z: ring.h5: it was not asked for (--log-z none).\nNo log_z: "
             "broken.h5: it was not *"));
}

TEST_CASE("where rows are named, or one of two models knows its data, differences are of rows") {
  const CliFolder folder;
  write_rings(folder);
  folder.write("rows.csv", "1,1,1,1\n-1,1,1,-1\n");
  const json rows = evaluated(folder, {"ring.h5", "--against", "broken.h5", "--data", "rows.csv"});
  CHECK(!rows.contains("log_z"));
  CHECK(rows["parts"][0]["num_samples"] == 2);
  check_refusal(run(folder, {"evaluate", "ring.h5", "--against", "broken.h5", "--split", "training"}), 2,
                "ring.h5: the model does not say which data it was trained on. Add --data FILE.");
}

TEST_CASE("where one model alone has a run, both are judged on its rows, and that is said") {
  const CliFolder folder;
  REQUIRE(run(folder, {"train", "small.toml", "--output", "run", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"export", "run", "--output", "run.npz", "--quiet"}).status == 0);
  REQUIRE(run(folder, {"import", "run.npz", "--output", "alone.h5", "--quiet"}).status == 0);
  for (const auto& [one, other] : {std::pair{"run", "alone.h5"}, {"alone.h5", "run"}}) {
    const Outcome found = run(folder, {"evaluate", one, "--against", other, "--json"});
    REQUIRE_MESSAGE(found.status == 0, found.err);
    CHECK(like(found.err, "*alone.h5 does not say which data it was trained on: both are judged on the rows of run.*"));
    const json part = json::parse(found.out)["parts"][0];
    CHECK(part["rows"] == "training rows");
    CHECK(part["num_samples"] == 14);
    const json likelihood = part["figures"]["log_likelihood"];
    CHECK(std::abs(likelihood["difference"].get<double>()) < 1e-9);
    const json own = json::parse(run(folder, {"evaluate", "run", "--json", "--quiet"}).out);
    CHECK(std::abs(likelihood["model"].get<double>() - own["splits"]["training"]["log_likelihood"].get<double>()) <
          1e-9);
  }
  check_refusal(run(folder, {"evaluate", "run", "--against", "alone.h5", "--split", "test", "--quiet"}), 2,
                "--split test: *");
}

}  // namespace paired_log_z_test
