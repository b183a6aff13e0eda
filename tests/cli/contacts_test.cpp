// Pairs of units by the strength of their coupling, and models in the zero-sum gauge.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/pictures/picture_index.hpp>
#include <harmonium/tests/support/skip.hpp>

#include "files.hpp"

namespace contacts_test {

using namespace harmonium::testing;

namespace {

constexpr int sites = 5, q = 3;
using Pair = std::pair<int, int>;

/// Four couplings w of a Potts model, −w δ(x_i, x_j), sites from 1.
const std::map<Pair, double> planted{{{1, 2}, 1.5}, {{2, 3}, -1.0}, {{1, 4}, 2.0}, {{3, 5}, 0.75}};

double planted_norm(int i, int j) {
  const auto found = planted.find(std::minmax(i, j));
  return found == planted.end() ? 0.0 : std::sqrt(q - 1.0) * std::abs(found->second);  // of w (δ − 1/q)
}

/// F_ij − F_i F_j / F of the planted norms, by loops.
double planted_score(int i, int j) {
  double of_i = 0.0, of_j = 0.0, all = 0.0;
  for (int a = 1; a <= sites; ++a) {
    of_i += planted_norm(i, a) / (sites - 1);
    of_j += planted_norm(j, a) / (sites - 1);
    for (int b = 1; b <= sites; ++b) all += planted_norm(a, b) / (sites * (sites - 1));
  }
  return planted_norm(i, j) - of_i * of_j / all;
}

Outcome done(const ScratchFolder& folder, const Words& words) {
  Outcome outcome = run(folder, words);
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return outcome;
}

double number(const std::string& word) { return std::strtod(word.c_str(), nullptr); }

/// potts.h5 with the planted couplings.
void write_planted(const ScratchFolder& folder) {
  std::string edges;
  for (const auto& [pair, w] : planted) edges += fmt::format("{} {} {}\n", pair.first, pair.second, w);
  folder.write("edges.txt", fmt::format("{} {}\n", sites, planted.size()) + edges);
  folder.write("potts.toml",
               "precision = \"float64\"\ninitializer = { type = \"edge_list\", path = \"edges.txt\" }\n"
               "model = { type = \"fully_visible\", num_visible = 5, visible_units = { type = \"categorical\", "
               "num_states = 3 } }\n");
  done(folder, {"import", "potts.toml", "--output", "potts.h5"});
}

/// The lines of a table of contacts without its first.
std::vector<Words> contacts(const ScratchFolder& folder, const std::string& model, const Words& more = {}) {
  Words words{"export", model, "--contacts", "--output", "c.csv"};
  words.insert(words.end(), more.begin(), more.end());
  CHECK(done(folder, words).out == "c.csv\n");
  std::vector<Words> lines = csv_fields(folder / "c.csv");
  REQUIRE(lines.size() > 1);
  lines.erase(lines.begin());
  return lines;
}

/// Scores, or norms, by their pair.
std::map<Pair, double> by_pair(const std::vector<Words>& lines, std::size_t column) {
  std::map<Pair, double> found;
  for (const Words& line : lines) found[{std::stoi(line[0]), std::stoi(line[1])}] = number(line[column]);
  return found;
}

/// DIR/FILE with `more(words)` added to the number that each line ends with.
template <class More>
void add_to(const ScratchFolder& folder, const std::string& file, const More& more) {
  const auto lines = csv_fields(folder / file);
  std::string text;
  for (std::size_t r = 0; r < lines.size(); ++r) {
    for (std::size_t k = 0; k + 1 < lines[r].size(); ++k) text += lines[r][k] + ",";
    text += r == 0 ? lines[r].back() + "\n" : fmt::format("{}\n", number(lines[r].back()) + more(lines[r]));
  }
  folder.write(file, text);
}

struct SiteState {
  int site, state;
};
/// Of "visible[3]=1".
SiteState site_state(const std::string& name) {
  return {std::stoi(name.substr(name.find('[') + 1)), std::stoi(name.substr(name.find('=') + 1))};
}

/// log p of every state, but for one constant: energies of `states.csv`, by the tables of an exported folder.
std::vector<double> energies(const ScratchFolder& folder, const std::string& dir) {
  std::map<std::string, double> field;
  for (const Words& line : csv_fields(folder / (dir + "/bias.visible.csv")))
    if (line[0] != "unit") field[line[0]] = number(line[1]);
  const auto couplings = csv_fields(folder / (dir + "/weight.visible.visible.csv"));
  std::vector<double> found;
  for (int state = 0; state < 243; ++state) {
    const int digits[] = {state % 3, state / 3 % 3, state / 9 % 3, state / 27 % 3, state / 81};
    double energy = 0.0;
    for (const auto& [name, h] : field)
      if (digits[site_state(name).site] == site_state(name).state) energy -= h;
    for (std::size_t r = 1; r < couplings.size(); ++r) {
      const SiteState a = site_state(couplings[r][0]), b = site_state(couplings[r][1]);
      if (digits[a.site] == a.state && digits[b.site] == b.state) energy -= number(couplings[r][2]);
    }
    found.push_back(energy);
  }
  return found;
}

/// The largest difference of two laws given by energies.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double za = 0.0, zb = 0.0, most = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    za += std::exp(-a[k]);
    zb += std::exp(-b[k]);
  }
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] + std::log(za) - b[k] - std::log(zb)));
  return most;
}

/// body(i, j, red, green, blue) of the cells of a map: the first polygons of the picture, row by row; those of the scale follow.
template <class Body>
void for_each_cell(const std::string& svg, const Body& body) {
  std::size_t at = 0;
  for (int i = 1; i <= sites; ++i)
    for (int j = 1; j <= sites; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      at = svg.find("<polygon fill = 'rgb(", at + 1);
      REQUIRE(at != std::string::npos);
      int red = 0, green = 0, blue = 0;
      REQUIRE(std::sscanf(svg.c_str() + at, "<polygon fill = 'rgb(%d,%d,%d)", &red, &green, &blue) == 3);
      body(i, j, red, green, blue);
    }
}

}  // namespace

TEST_CASE("pairs of a Potts model stand in the order of their corrected norms") {
  const ScratchFolder folder;
  write_planted(folder);
  const auto lines = contacts(folder, "potts.h5");
  CHECK(content_of(folder / "c.csv").starts_with("site_i,site_j,score,norm\n1,4,"));
  REQUIRE(lines.size() == 10);
  double last = 1e9;
  for (const Words& line : lines) {
    const int i = std::stoi(line[0]), j = std::stoi(line[1]);
    CAPTURE(i);
    CAPTURE(j);
    CHECK(i < j);
    CHECK(std::abs(number(line[2]) - planted_score(i, j)) < 1e-13);
    CHECK(std::abs(number(line[3]) - planted_norm(i, j)) < 1e-13);
    CHECK(number(line[2]) <= last);
    last = number(line[2]);
  }
  // 3 and 5 have few other partners: without the correction they would stand behind 1 and 2, and 2 and 3.
  CHECK((lines[1][0] == "3" && lines[1][1] == "5"));
  CHECK(planted_norm(3, 5) < planted_norm(2, 3));

  // Pairs that are left out have their part in the means of the others.
  const auto far = contacts(folder, "potts.h5", {"--min-separation", "3"});
  CHECK(far.size() == 3);
  for (const auto& [pair, score] : by_pair(far, 2)) {
    CHECK(pair.second - pair.first >= 3);
    CHECK(std::abs(score - planted_score(pair.first, pair.second)) < 1e-13);
  }
  // Without one of three states: two diagonal terms w (1 − 1/3), two others −w/3.
  for (const auto& [pair, norm] : by_pair(contacts(folder, "potts.h5", {"--left-out", "0"}), 3)) {
    const double w = planted_norm(pair.first, pair.second) / std::sqrt(q - 1.0);
    CHECK(std::abs(norm - w * std::sqrt(2.0 * 4.0 / 9.0 + 2.0 / 9.0)) < 1e-13);
  }
}

TEST_CASE("a lattice has the contacts of the same couplings as a matrix, and none where no edge is") {
  const ScratchFolder folder;
  folder.write("chain.toml",
               "precision = \"float64\"\ninitializer = { type = \"normal\", mean = [1.5, -0.5], std = 0.0 }\n"
               "[model]\ntype = \"layered\"\n"
               "layers = [{ name = \"visible\", size = 5, units = { type = \"categorical\", num_states = 3 } }]\n"
               "terms = [{ type = \"lattice\", layer = \"visible\", shape = 5, open_axes = 0, offsets = [1, 2], "
               "uniform = true }]\n");
  done(folder, {"import", "chain.toml", "--output", "chain.h5"});
  const auto norms = by_pair(contacts(folder, "chain.h5"), 3);
  REQUIRE(norms.size() == 10);
  for (const auto& [pair, norm] : norms) {
    const int step = pair.second - pair.first;
    const double w = step == 1 ? 1.5 : step == 2 ? 0.5 : 0.0;
    CHECK(std::abs(norm - std::sqrt(2.0) * w) < 1e-13);
  }
}

TEST_CASE("the order of spins is that of their couplings, whatever the sign, and names are those of the data") {
  const ScratchFolder folder;
  folder.write("glass.txt", "1 2 0.5\n2 3 -1.25\n3 4 2\n1 4 0.125\n");
  done(folder, {"import", "glass.txt", "--output", "glass.h5"});
  contacts(folder, "glass.h5");
  CHECK(content_of(folder / "c.csv") ==
        "site_i,site_j,score,coupling\n3,4,2,2\n2,3,1.25,-1.25\n1,2,0.5,0.5\n1,4,0.125,0.125\n1,3,0,0\n2,4,0,0\n");
  contacts(folder, "glass.h5", {"--min-separation", "2"});
  CHECK(content_of(folder / "c.csv") == "site_i,site_j,score,coupling\n1,4,0.125,0.125\n1,3,0,0\n2,4,0,0\n");

  folder.write("d.csv", "\"a,b\",c\n0,1\n1,1\n1,0\n0,0\n");
  folder.write("d.toml",
               "precision = \"float64\"\ndata = { type = \"csv\", path = \"d.csv\" }\n"
               "model = { type = \"fully_visible\", num_visible = 2 }\nestimator = \"exact\"\n"
               "training = { num_epochs = 2 }\n");
  done(folder, {"train", "d.toml", "--output", "d", "--quiet"});
  contacts(folder, "d");
  CHECK(like(content_of(folder / "c.csv"), "site_i,site_j,score,coupling,unit,other\n1,2,*,*,\"a,b\",c\n"));
  contacts(folder, "d", {"--numbered"});
  CHECK(like(content_of(folder / "c.csv"), "site_i,site_j,score,coupling\n1,2,*,*\n"));
}

TEST_CASE("contacts that were planted are found in states of their model, and before all others") {
  // A pair has (q − 1)² free numbers, and its norm an error of some q (q − 1) / √rows = 0.1; planted scores are above
  // 0.6, the others below −0.2.
  const ScratchFolder folder;
  write_planted(folder);
  done(folder,
       {"sample", "potts.h5", "--sampler", "exact", "--num-samples", "4000", "--states", "--output", "states.csv"});
  folder.write("fit.toml",
               "seed = 1\nprecision = \"float64\"\ndata = { type = \"csv\", path = \"states.csv\" }\n"
               "model = { type = \"fully_visible\", num_visible = 5, visible_units = { type = \"categorical\", "
               "num_states = 3 } }\nestimator = \"pseudo_likelihood\"\n"
               "optimizer = { type = \"adam\", learning_rate = 0.02, schedule = { type = \"linear\", final = 0.0 } }\n"
               "training = { batch_size = 1000, num_epochs = 60 }\n");
  done(folder, {"train", "fit.toml", "--output", "fit", "--quiet"});
  const auto lines = contacts(folder, "fit");
  std::set<Pair> best;
  for (std::size_t k = 0; k < planted.size(); ++k) best.emplace(std::stoi(lines[k][0]), std::stoi(lines[k][1]));
  for (const auto& [pair, w] : planted) CHECK(best.contains(pair));
}

TEST_CASE("another gauge of a law changes no contact, and export in the zero-sum gauge takes it back") {
  const ScratchFolder folder;
  write_planted(folder);
  done(folder, {"export", "potts.h5", "--output", "plain"});
  done(folder, {"export", "potts.h5", "--output", "other"});
  // J_ij(a, b) += r_i(a) for every j > i, and h_i(a) -= r_i(a) for each of these j.
  const auto shift = [](const std::string& name) {
    const SiteState s = site_state(name);
    return 0.5 * s.state * (s.site + 1) - 0.25 * s.state * s.state;
  };
  add_to(folder, "other/weight.visible.visible.csv", [&](const Words& line) { return shift(line[0]); });
  const auto plain = energies(folder, "plain");
  CHECK(apart(energies(folder, "other"), plain) > 0.1);  // the law of other couplings
  add_to(folder, "other/bias.visible.csv",
         [&](const Words& line) { return -shift(line[0]) * (sites - 1 - site_state(line[0]).site); });
  CHECK(apart(energies(folder, "other"), plain) < 1e-12);
  done(folder, {"import", "other", "--output", "other.h5"});

  for (const Words& more : {Words{}, Words{"--left-out", "1"}}) {
    const auto as_planted = contacts(folder, "potts.h5", more), moved = contacts(folder, "other.h5", more);
    for (const std::size_t column : {2u, 3u}) {
      const auto a = by_pair(as_planted, column), b = by_pair(moved, column);
      for (const auto& [pair, value] : a) CHECK(std::abs(b.at(pair) - value) < 1e-12);
    }
  }
  // The gauge is one: of both models it has the same tables, and the law of both.
  done(folder, {"export", "potts.h5", "--gauge", "zero_sum", "--output", "zero"});
  done(folder, {"export", "other.h5", "--gauge", "zero_sum", "--output", "again"});
  for (const char* file : {"weight.visible.visible.csv", "bias.visible.csv"}) {
    const auto a = csv_fields(folder / "zero" / file), b = csv_fields(folder / "again" / file);
    REQUIRE(a.size() == b.size());
    for (std::size_t r = 1; r < a.size(); ++r) CHECK(std::abs(number(a[r].back()) - number(b[r].back())) < 1e-12);
  }
  CHECK(apart(energies(folder, "zero"), plain) < 1e-12);
  CHECK(apart(energies(folder, "again"), plain) < 1e-12);
  std::map<std::string, double> sums;  // of J_ij(a, .) and of J_ij(., b)
  for (const Words& line : csv_fields(folder / "again/weight.visible.visible.csv")) {
    if (line[0] == "unit") continue;
    sums[fmt::format("{} {}", line[0], site_state(line[1]).site)] += number(line[2]);
    sums[fmt::format("{} {}", site_state(line[0]).site, line[1])] += number(line[2]);
  }
  CHECK(sums.size() == 2 * 10 * q);
  for (const auto& [name, sum] : sums) CHECK(std::abs(sum) < 1e-12);
  // Import reads it: the same law, log p of rows and all.
  done(folder, {"import", "again", "--output", "again.h5"});
  folder.write("rows.csv", "0,1,2,0,1\n2,2,2,1,1\n0,0,1,0,2\n");
  const auto likelihood = [&](const char* model) {
    return nlohmann::json::parse(
               done(folder, {"evaluate", model, "--data", "rows.csv", "--log-z", "exact", "--json"}).out)
        .at("log_likelihood")
        .get<double>();
  };
  CHECK(likelihood("again.h5") == doctest::Approx(likelihood("potts.h5")).epsilon(1e-12));
  // The default is as it was.
  done(folder, {"export", "other.h5", "--output", "same"});
  CHECK(content_of(folder / "same/weight.visible.visible.csv") ==
        content_of(folder / "other/weight.visible.visible.csv"));
}

TEST_CASE("the contacts of a Hopfield model are the couplings that its Gaussian hidden units come to") {
  const ScratchFolder folder;
  folder.write("h.toml",
               "seed = 3\nprecision = \"float64\"\ninitializer = { type = \"normal\", std = 0.7 }\n"
               "model = { type = \"rbm\", num_visible = 4, num_hidden = 2, visible_units = \"spin\", hidden_units = "
               "\"gaussian\" }\n");
  done(folder, {"import", "h.toml", "--output", "h.h5"});
  done(folder, {"export", "h.h5", "--output", "h"});
  add_to(folder, "h/log_precision.hidden.csv", [](const Words& line) { return line[0] == "hidden[0]" ? 0.5 : -0.75; });
  done(folder, {"import", "h", "--output", "h.h5"});
  const auto couplings = by_pair(contacts(folder, "h.h5"), 3);
  CHECK(content_of(folder / "c.csv").starts_with("site_i,site_j,score,coupling\n"));
  REQUIRE(couplings.size() == 6);

  // log Z of all units is that of the spins alone under these couplings, but for the integrals over the hidden units and the
  // terms of a spin with itself, whose square is 1.
  const double precision[] = {std::exp(0.5), std::exp(-0.75)};
  double constant = 0.0;
  for (const double gamma : precision) constant += 0.5 * std::log(2 * M_PI / gamma);
  for (const Words& line : csv_fields(folder / "h/weight.visible.hidden.csv"))
    for (std::size_t k = 0; line[0] != "unit" && k < 2; ++k)
      constant += 0.5 * number(line[k + 1]) * number(line[k + 1]) / precision[k];
  double z = 0.0;
  for (unsigned state = 0; state < 16; ++state) {
    double sum = 0.0;
    for (const auto& [pair, coupling] : couplings)
      sum += (state >> (pair.first - 1) & 1U) == (state >> (pair.second - 1) & 1U) ? coupling : -coupling;
    z += std::exp(sum);
  }
  const auto found = nlohmann::json::parse(done(folder, {"evaluate", "h.h5", "--json"}).out);
  CHECK(found["log_z"].get<double>() == doctest::Approx(std::log(z) + constant).epsilon(1e-12));
}

TEST_CASE("what has no contacts or no gauge is refused with the reason") {
  const ScratchFolder folder;
  const auto made = [&](const std::string& name, const std::string& model) {
    folder.write(name + ".toml", "seed = 1\nmodel = " + model + "\n");
    done(folder, {"import", name + ".toml", "--output", name + ".h5"});
  };
  made("rbm", "{ type = \"rbm\", num_visible = 3, num_hidden = 2 }");
  made("spins", "{ type = \"fully_visible\", num_visible = 3, visible_units = \"spin\" }");
  made("potts",
       "{ type = \"fully_visible\", num_visible = 3, visible_units = { type = \"categorical\", num_states = 4 } }");
  const auto refused = [&](const Words& more, const std::string& message) {
    Words words{"export"};
    words.insert(words.end(), more.begin(), more.end());
    check_refusal(run(folder, words), 2, message);
    CHECK_FALSE(std::filesystem::exists(folder / "c.csv"));
  };
  refused(
      {"rbm.h5", "--contacts", "--output", "c.csv"},
      "--contacts: visible units are coupled by way of the latent ones of layer 'hidden', which are binary, so that "
      "the "
      "model has effective couplings of pairs, and of more units, which are no parameters of it (Tubiana, Cocco & "
      "Monasson 2019; Decelle et al. 2023). They are not computed. Train a model without latent units, model = { type "
      "= \"fully_visible\" }, or with Gaussian ones, which couple pairs alone.");
  made("deep",
       "{ type = \"boltzmann_machine\", num_visible = 3, num_hidden = 2, lateral = [\"hidden\"], hidden_units = "
       "\"gaussian\" }");
  refused(
      {"deep.h5", "--contacts", "--output", "c.csv"},
      "--contacts: the latent units of layer 'hidden' are coupled with other latent ones, and effective couplings of "
      "the visible units are computed where these are independent of each other given the visible units. Leave such "
      "couplings out of the model.");
  refused({"spins.h5", "--contacts", "--left-out", "0", "--output", "c.csv"},
          "--left-out is for units of several states, categorical ones, and those of layer 'visible' are spin. Leave "
          "it out.");
  refused({"potts.h5", "--contacts", "--left-out", "4", "--output", "c.csv"},
          "--left-out 4: the units of layer 'visible' have the states 0 to 3.");
  refused({"potts.h5", "--contacts", "--min-separation", "3", "--output", "c.csv"},
          "--min-separation 3: no two of the 3 units of layer 'visible' are so far apart.");
  refused({"potts.h5", "--contacts", "--output", "pairs"},
          "--output pairs: --contacts writes one table. Name a file that ends in .csv.");
  refused({"potts.h5", "--contacts", "--gauge", "zero_sum", "--output", "c.csv"},
          "--gauge: scores of pairs are the same in every gauge. Leave it out of --contacts.");
  refused({"potts.h5", "--left-out", "0", "--output", "out"},
          "--left-out is for the table of pairs. Give --contacts too.");
  refused({"potts.h5", "--min-separation", "2", "--output", "out"},
          "--min-separation is for the table of pairs. Give --contacts too.");
  refused(
      {"potts.h5", "--output", "c.csv"},
      "--output c.csv: export writes a folder of CSV files, all tensors as arrays of FILE.npz, or couplings within a "
      "layer as a matrix in FILE.npy. Name one of these. --contacts writes a table of pairs.");
  refused({"potts.h5", "--gauge", "ising", "--output", "out"},
          "--gauge ising: there is no such gauge. Known: zero_sum.");
  refused({"spins.h5", "--gauge", "zero_sum", "--output", "out"},
          "--gauge zero_sum: no layer of the model is of categorical units, and the couplings of others are told by "
          "their law. Leave it out.");
}

TEST_CASE("a map of contacts has a point for each pair, red where the score is above 0, and says what it is") {
  const ScratchFolder folder;
  write_planted(folder);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that maps were not tested");
    return;
  }
  double most = 0.0;
  for (int i = 1; i <= sites; ++i)
    for (int j = 1; j < i; ++j) most = std::max(most, std::abs(planted_score(i, j)));
  const std::string caption = fmt::format(
      "pairs of the 5 sites of layer 'visible', counted from 1; score: APC-corrected Frobenius norm, zero-sum gauge; "
      "blue below 0, red above, darkest from {:.3g} on",
      most);
  CHECK(done(folder, {"draw", "potts.h5", "--what", "contacts", "--output", "map.svg"}).out ==
        "map.svg: " + caption + "\n");
  CHECK(harmonium::caption_in(folder / "map.svg") == caption);
  const std::string svg = content_of(folder / "map.svg");
  for (const char* part : {">site<", "APC-corrected Frobenius norm", "<text> 5</text>"})
    CHECK_MESSAGE(svg.find(part) != std::string::npos, part);
  for_each_cell(svg, [&](int i, int j, int red, int green, int blue) {
    const double score = i == j ? 0.0 : planted_score(std::min(i, j), std::max(i, j));
    if (i == j) CHECK(std::min({red, green, blue}) >= 250);
    else if (score > 0.1 * most) CHECK(red > blue);
    else if (score < -0.1 * most) CHECK(blue > red);
    if (score == most) CHECK(red + green + blue < 150);
    else CHECK(red + green + blue > 150);
  });
  done(folder, {"draw", "potts.h5", "--what", "contacts", "--output", "map.png"});
  CHECK(harmonium::caption_in(folder / "map.png") == caption);
}

TEST_CASE("a map of contacts leaves out the state and the near pairs that the table does") {
  const ScratchFolder folder;
  write_planted(folder);
  if (std::system("command -v gnuplot > /dev/null 2>&1") != 0) {
    skip_test("gnuplot is not installed, so that maps were not tested");
    return;
  }
  // Of w (δ − 1/q) without row and column 0 there are q − 1 times (1 − 1/q)², and (q − 1)(q − 2) times 1/q².
  const double share = std::sqrt(2.0 * 4.0 / 9.0 + 2.0 / 9.0) / std::sqrt(2.0);
  double all = 0.0, far = 0.0;
  Pair strongest;
  for (int i = 1; i <= sites; ++i)
    for (int j = i + 1; j <= sites; ++j) {
      const double score = share * std::abs(planted_score(i, j));
      all = std::max(all, score);
      if (j - i < 3 || score <= far) continue;
      far = score;
      strongest = {i, j};
    }
  const auto caption = [](const char* left, double end) {
    return fmt::format(
        "map.svg: pairs of the 5 sites of layer 'visible', counted from 1; score: APC-corrected Frobenius norm, "
        "zero-sum gauge; left out: {}; blue below 0, red above, darkest from {:.3g} on\n",
        left, end);
  };
  const auto drawn = [&](const Words& more) {
    Words words{"draw", "potts.h5", "--what", "contacts", "--output", "map.svg"};
    words.insert(words.end(), more.begin(), more.end());
    return done(folder, words).out;
  };
  CHECK(drawn({"--left-out", "0"}) == caption("state 0", all));
  CHECK(drawn({"--min-separation", "3"}) == caption("pairs with |i - j| < 3", far / share));
  CHECK(drawn({"--left-out", "0", "--min-separation", "3"}) == caption("state 0, pairs with |i - j| < 3", far));
  const std::string svg = content_of(folder / "map.svg");
  for_each_cell(svg, [&](int i, int j, int red, int green, int blue) {
    if (std::abs(i - j) < 3) CHECK(std::min({red, green, blue}) >= 250);
    else if (Pair(std::minmax(i, j)) == strongest) CHECK(red + green + blue < 150);
  });
}

TEST_CASE("a map of contacts is refused where there are no scores, or nothing to draw it by") {
  const ScratchFolder folder;
  write_planted(folder);
  const auto refused = [&](const Words& words, const char* why) {
    Words all{"draw"};
    all.insert(all.end(), words.begin(), words.end());
    check_refusal(run(folder, all), 2, why);
    CHECK_FALSE(std::filesystem::exists(folder / "map.svg"));
  };
  refused({"potts.h5", "--what", "contacts"}, "draw: --output FILE.svg is missing.");
  refused({"potts.h5", "--what", "contacts", "--output", "map.pdf"},
          "--output map.pdf: a map of contacts is written as .svg or .png. Give a name that ends so.");
  refused({"potts.h5", "--what", "contacts", "--output", "map.svg", "--shape", "5x5"},
          "--shape: it has no meaning for contacts. Leave it out.");
  // As of the table.
  refused({"potts.h5", "--what", "contacts", "--output", "map.svg", "--left-out", "3"},
          "--left-out 3: the units of layer 'visible' have the states 0 to 2.");
  refused({"potts.h5", "--what", "contacts", "--output", "map.svg", "--min-separation", "5"},
          "--min-separation 5: no two of the 5 units of layer 'visible' are so far apart.");
  folder.write("pair.txt", "3 2\n1 2 1\n2 3 -1\n");
  done(folder, {"import", "pair.txt", "--output", "spins.h5"});
  refused({"spins.h5", "--what", "contacts", "--output", "map.svg", "--left-out", "0"},
          "--left-out is for units of several states, categorical ones, and those of layer 'visible' are spin. Leave "
          "it out.");
  refused({"potts.h5", "--output", "map.png", "--left-out", "0"},
          "--left-out is for the map of pairs. Give --what contacts too.");
  refused({"potts.h5", "--what", "samples", "--output", "map.png", "--min-separation", "2"},
          "--min-separation is for the map of pairs. Give --what contacts too.");
  folder.write("rows.csv", "1,0\n0,1\n");
  refused({"rows.csv", "--what", "contacts", "--output", "map.svg"},
          "--what contacts: it is of the couplings of a model, and rows.csv is none. Name a model, or the folder of a "
          "run.");
  folder.write("rbm.toml", "model = { type = \"rbm\", num_visible = 3, num_hidden = 2 }\n");
  done(folder, {"import", "rbm.toml", "--output", "rbm.h5"});
  refused(
      {"rbm.h5", "--what", "contacts", "--output", "map.svg"},
      "--what contacts: visible units are coupled by way of the latent ones of layer 'hidden', which are binary, *");
}

}  // namespace contacts_test
