// What `inspect` says of data files, and that a model can be trained by what it prints.
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/hdf5.hpp>

#include "files.hpp"

namespace inspect_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

using Json = nlohmann::json;

Json inspected(const ScratchFolder& folder, const Words& words) {
  Words all{"inspect"};
  all.insert(all.end(), words.begin(), words.end());
  all.emplace_back("--json");
  const Outcome outcome = run(folder, all);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err == "");
  return Json::parse(outcome.out);
}

/// Trains for an epoch by the configuration that was printed.
void check_trains(const ScratchFolder& folder, const Json& found) {
  folder.write("printed.toml", found["configuration"].get<std::string>());
  const Outcome outcome = run(folder, {"train", "printed.toml", "--epochs", "1", "--set", "training.checkpoint_every=0",
                                       "--output", "run", "--overwrite"});
  CHECK_MESSAGE(outcome.status == 0, outcome.err);
}

const Json& column(const Json& found, const std::string& name) {
  for (const Json& one : found["columns"])
    if (one["name"] == name) return one;
  FAIL("no column " << name);
  return found;
}

std::string table(int rows) {
  std::string text = "n,x,word,spin,level,const\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i) + "," + std::to_string(0.5 * ((i * 7) % 11)) + "," + (i % 2 == 0 ? "up" : "down") + "," +
            (i % 3 == 0 ? "1" : "-1") + "," + (i == 4 ? "" : std::to_string(i % 4)) + ",7\n";
  return text;
}

}  // namespace

TEST_CASE("inspect tells of a table what each column is, and what is wrong with some") {
  const ScratchFolder folder;
  folder.write("t.csv", table(40));
  const Json found = inspected(folder, {"t.csv"});
  CHECK(found["type"] == "table");
  CHECK(found["num_rows"] == 40);
  REQUIRE(found["columns"].size() == 6);
  CHECK(column(found, "n")["trouble"] == "counts the rows");
  CHECK(column(found, "n")["units"].is_null());
  const Json& x = column(found, "x");
  CHECK(x["kind"] == "real");
  CHECK(x["units"] == "gaussian");
  CHECK(x["min"] == 0.0);
  CHECK(x["max"] == 5.0);
  const Json& word = column(found, "word");
  CHECK(word["kind"] == "binary");
  CHECK(word["levels"][0]["level"] == "down");
  CHECK(word["levels"][0]["rows"] == 20);
  CHECK(column(found, "spin")["units"] == "spin");
  const Json& level = column(found, "level");
  CHECK(level["units"] == "categorical, 4 states");
  CHECK(level["missing"] == 1);
  CHECK(level["levels"][0]["rows"] == 9);
  CHECK(column(found, "const")["constant"] == true);
  CHECK(found["warnings"][0] == "column 'n' counts the rows: it is left out below.");
  CHECK(found["warnings"][1] ==
        "1 of 6 columns is the same in every row, and tells nothing: const. data.ignore leaves out what it names.");
  check_trains(folder, found);
  const Outcome text = run(folder, {"inspect", "t.csv"});
  CHECK(text.out.find("level   categorical  0 23.1 %, 1 25.6 %, 2 25.6 %, 3 25.6 %") != std::string::npos);
  // A column of classes, and what the configuration says of columns.
  const Json labeled = inspected(folder, {"t.csv:label_column=word,ignore=[\"n\", \"const\"]"});
  CHECK(labeled["classes"]["name"] == "word");
  CHECK(labeled["classes"]["levels"][1]["level"] == "up");
  check_trains(folder, labeled);
  const Json told = inspected(folder, {"t.csv", "--set", "data.kinds=[{column=\"level\", kind=\"real\"}]"});
  CHECK(column(told, "level")["units"] == "gaussian");
}

TEST_CASE("inspect tells of each kind of file what its values are, and a model is trained by what it prints") {
  const ScratchFolder folder;
  const std::vector<double> bits = bit_rows(32, 5);
  folder.write("b.npy", npy_bytes(32, 5, bits));
  folder.write("b-idx2-ubyte", idx_bytes(32, 5, {bits.begin(), bits.end()}));
  Hdf5File file = Hdf5File::create(folder / "b.h5");
  file.write("samples", bits, {32, 5});
  file.close();
  std::string text;
  for (std::size_t i = 0; i < bits.size(); ++i)
    text += std::string(bits[i] == 1 ? "1" : "0") + (i % 5 == 4 ? "\n" : ",");
  folder.write("b.csv", text);
  for (const auto& file_and_type : {std::pair("b.npy", "npy"), std::pair("b-idx2-ubyte", "idx"),
                                    std::pair("b.h5", "hdf5"), std::pair("b.csv", "csv")}) {
    const std::string name = file_and_type.first;
    INFO(name);
    const Json found = inspected(folder, {name});
    CHECK(found["type"] == file_and_type.second);
    CHECK(found["summary"] == "bits");
    CHECK(found["columns"][4]["kind"] == "binary");
    CHECK(found["columns"][4]["mean"] == 0.5);
    CHECK(found["columns"][4]["levels"][1]["rows"] == 16);
    check_trains(folder, found);
  }
  folder.write("r.npy", npy_bytes(4, 3, {0.5, 1, 7, -2, 1, 7.5, 3, 1, std::nan(""), 0.25, 1, 9}));
  const Json real = inspected(folder, {"r.npy"});
  CHECK(real["columns"][2]["missing"] == 1);
  CHECK(real["columns"][1]["constant"] == true);
  CHECK(real["columns"][0]["units"] == "gaussian");
  CHECK(real["configuration"].get<std::string>().find("missing = \"nan\"") != std::string::npos);
  check_trains(folder, real);
  folder.write("f.fasta", ">a\nACGT\n>b\nACGA\n>c\nTTTA\n");
  const Json sites = inspected(folder, {"f.fasta"});
  CHECK(sites["summary"] == "sites of 4 states");
  CHECK(sites["configuration"].get<std::string>().find("alphabet = \"ACGT\"") != std::string::npos);
  const Json made = inspected(folder, {"bars_and_stripes:side=3"});
  CHECK(made["num_rows"] == 14);
  check_trains(folder, made);
}

TEST_CASE("inspect asks of an array of small whole numbers what they stand for, as init does") {
  const ScratchFolder folder;
  std::vector<double> states;
  for (int i = 0; i < 160; ++i) states.push_back(i * i % 7 % 3);
  folder.write("states.npy", npy_bytes(40, 4, states));
  const std::string question =
      "its values are the whole numbers from 0 to 2, and what they stand for is not to be seen. ";
  check_refusal(run(folder, {"init", "states.npy"}), 2, "*states.npy: " + question + "*");
  const Json found = inspected(folder, {"states.npy"});
  const auto asks = [&](const Json& warning) {
    return like(warning.get<std::string>(), question + "* The configuration below takes them for amounts.");
  };
  CHECK(std::ranges::count_if(found["warnings"], asks) == 1);
  check_trains(folder, found);
  const Json told = inspected(folder, {"states.npy", "--set", "data.standardize=true"});
  CHECK(std::ranges::count_if(told["warnings"], asks) == 0);
}

TEST_CASE("inspect counts sites of sequences that have one letter throughout, and not columns") {
  const ScratchFolder folder;
  const auto warnings = [&](const std::string& text) {
    folder.write("f.fasta", text);
    return inspected(folder, {"f.fasta:alphabet=dna"})["warnings"];
  };
  const Json one = warnings(">a\nACGT\n>b\nACGA\n>c\nTCTA\n"), two = warnings(">a\nAC-T\n>b\nAC-A\n>c\nTC-A\n");
  REQUIRE(one.size() == 1);
  CHECK(one[0] == "1 of 4 sites has one letter in all sequences, and tells nothing (counted from 0): 1.");
  REQUIRE(two.size() == 1);
  CHECK(two[0] == "2 of 4 sites have one letter in all sequences, and tell nothing (counted from 0): 1, 2.");
  // No site has all five letters, so that columns of each are 0 throughout.
  CHECK(warnings(">a\nACGT\n>b\nCATA\n>c\nTCTA\n").empty());
}

TEST_CASE("inspect asks whether a last column of few whole numbers holds classes, as init does") {
  const ScratchFolder folder;
  // Gray levels from 0 to 16 in 16 columns, and a class of 0, 1, 2, as digits are given.
  std::string digits;
  for (int r = 0; r < 90; ++r) {
    for (int c = 0; c < 16; ++c) digits += std::to_string((r * r + 5 * c * r + c) % 7 < 3 ? 16 - r % 2 : c % 3) + ",";
    digits += std::to_string(r % 3) + "\n";
  }
  folder.write("digits.csv", digits);
  CHECK(like(
      run(folder, {"inspect", "digits.csv"}).out,
      "*note: the last column holds the whole numbers from 0 to 2, about as often each: are they classes? Below they "
      "are a value like the others. If so, look at 'digits.csv:label_column=last'.*"));
  const Outcome labeled = run(folder, {"inspect", "digits.csv:label_column=last"});
  CHECK(labeled.status == 0);
  CHECK(labeled.out.find("are they classes?") == std::string::npos);
  CHECK(labeled.out.find("num_labels = 3") != std::string::npos);
}

TEST_CASE("inspect says what keeps the order of small whole numbers, and that is trained") {
  const ScratchFolder folder;
  std::string few, many, mixed;
  for (int r = 0; r < 60; ++r) {
    few += fmt::format("{},{},{}\n", r % 4, r * 7 % 5, r * r % 3);
    mixed += fmt::format("{},{}\n", r % 4, 0.25 * (r % 7));
    for (int c = 0; c < 16; ++c) many += fmt::format("{}{}", (r * r + 5 * c * r + c) % 4, c == 15 ? "\n" : ",");
  }
  folder.write("few.csv", few);
  folder.write("many.csv", many);
  folder.write("mixed.csv", mixed);
  folder.write("bits.csv", "0,1\n1,1\n0,0\n1,0\n0,1\n1,0\n");
  const std::string levels = "type = \"levels\", num_states = ";
  CHECK(
      like(run(folder, {"inspect", "few.csv"}).out,
           "*note: all columns hold whole numbers from 0 to 4, and are taken for categories without an order. If these "
           "are steps of a quantity, such as grades, *" +
               levels + "5, low = 0 } keep their order and distances.*"));
  CHECK(like(run(folder, {"inspect", "many.csv"}).out,
             "*from 0 to 3, and are taken for grays, of which bits are made. *" + levels + "4, low = 0 }*"));
  for (const char* other : {"mixed.csv", "bits.csv"})
    CHECK(run(folder, {"inspect", other}).out.find("levels") == std::string::npos);
  folder.write("c.toml",
               "data = { type = \"csv\", path = \"few.csv\" }\nestimator = { type = \"cd\" }\n"
               "model = { type = \"rbm\", num_visible = 3, num_hidden = 2, visible_units = { " +
                   levels + "5, low = 0 } }\ntraining = { num_epochs = 1, batch_size = 20 }\n");
  CHECK(run(folder, {"train", "c.toml", "--output", "run", "--quiet"}).status == 0);
}

TEST_CASE("inspect asks whether -999 among small numbers stands for what is missing, and no other number") {
  const ScratchFolder folder;
  const auto notes = [&](const std::string& odd, int times, const Words& more = {}) {
    std::string text = "sex,score,length\n";
    for (int r = 0; r < 40; ++r)
      text += fmt::format("{},{},{}.5\n", r % 2 == 0 ? "m" : "f", r < times ? odd : fmt::format("{}", r % 12), 40 + r);
    folder.write("t.csv", text);
    Words words{"t.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return inspected(folder, words);
  };
  const Json found = notes("-999", 3);
  CHECK(found["warnings"].dump().find(
            "-999 stands in several rows of a column: score, far from all other values. If it") != std::string::npos);
  for (const char* odd : {"-99.0", "999", "-9999"})
    CHECK(notes(odd, 2)["warnings"].dump().find(std::string(odd) + " stands in several rows") != std::string::npos);
  // Once; near the others, which go from 0 to 11; and what nobody writes for it.
  CHECK(notes("-999", 1)["warnings"].dump().find("stands in several") == std::string::npos);
  for (const char* odd : {"-9", "-998", "7"})
    CHECK(notes(odd, 3)["warnings"].dump().find("stands in several") == std::string::npos);
  // As it says, the entries are missing.
  const Json said = notes("-999", 3, {"--set", "data.missing=nan", "--set", "data.missing_words=[\"-999\"]"});
  CHECK(said["warnings"].dump().find("stands in several") == std::string::npos);
  CHECK(column(said, "score")["missing"] == 3);
}

TEST_CASE("inspect names words of a column that are alike but for case or blanks, and init too") {
  const ScratchFolder folder;
  std::string text = "smoker,weight,group,kind\n";
  for (int r = 0; r < 40; ++r)
    text += fmt::format("{},{}.5,{},{}\n",
                        r % 5 == 0   ? "Yes"
                        : r % 2 == 0 ? "yes"
                                     : "no",
                        40 + r,
                        r % 3 == 0   ? "\"b \""
                        : r % 3 == 1 ? "b"
                                     : "B",
                        r % 2 == 0 ? "one" : "two");
  folder.write("t.csv", text);
  const std::string warnings = inspected(folder, {"t.csv"})["warnings"].dump();
  CHECK(
      warnings.find("column 'smoker' has words that are alike but for case or blanks, and each is a state of its own: "
                    "'Yes' and 'yes'. If they mean the same, write them in one way in the file.") != std::string::npos);
  CHECK(warnings.find("column 'group' has words that are alike but for case or blanks, and each is a state of its own: "
                      "'b ' and 'b' and 'B'.") != std::string::npos);
  CHECK(warnings.find("column 'kind'") == std::string::npos);
  CHECK(like(run(folder, {"init", "t.csv", "--output", "c.toml"}).err, "*'Yes' and 'yes'. If they mean the same*"));
  // Of the column of classes too.
  CHECK(inspected(folder, {"t.csv", "--set", "data.label_column=smoker"})["warnings"].dump().find("'Yes' and 'yes'") !=
        std::string::npos);
}

TEST_CASE("inspect says of couplings what makes a model of them") {
  const ScratchFolder folder;
  const std::string edges = "1 2 1\n2 3 -1\n3 4 1\n4 1 1\n";
  folder.write("ring.txt", edges);
  folder.write("counted.txt", "4 4\n" + edges);
  folder.write("matrix.csv", "0,1,0,1\n1,0,-1,0\n0,-1,0,1\n1,0,1,0\n");
  folder.write("matrix.npy", npy_bytes(4, 4, {0, 1, 0, 1, 1, 0, -1, 0, 0, -1, 0, 1, 1, 0, 1, 0}));
  const auto note = [&](const std::string& file) {
    std::string all;
    const Json found = inspected(folder, {file});
    for (const Json& warning : found["warnings"]) all += warning.get<std::string>() + "|";
    return all;
  };
  CHECK(
      like(note("ring.txt"),
           "*its rows may be couplings 'i j J' of 4 units. If so, 'harmonium import ring.txt --output ring.h5' makes a "
           "model of them.|"));
  for (const char* file : {"matrix.csv", "matrix.npy"})
    CHECK(like(note(file), "*its rows may be a matrix of the couplings of 4 units. If so, 'harmonium import matrix.*"));
  check_refusal(run(folder, {"inspect", "counted.txt"}), 2,
                "counted.txt: a list of the 4 couplings of 4 units, not rows of data. 'harmonium import counted.txt "
                "--output counted.h5' makes a model of it.");
  for (const char* file : {"ring", "counted"})
    CHECK(run(folder, {"import", file + std::string(".txt"), "--output", file + std::string(".h5")}).status == 0);
  // Whole numbers that cannot be nodes, or have names.
  folder.write("ages.csv", "34,1,0.5\n51,2,0.25\n27,1,0.75\n");
  folder.write("named.csv", "a,b,c\n1,2,1\n2,3,-1\n3,1,1\n");
  for (const char* file : {"ages.csv", "named.csv"}) CHECK(note(file).find("couplings") == std::string::npos);
}

TEST_CASE("inspect refuses what is no data, as other commands do") {
  const ScratchFolder folder;
  check_refusal(run(folder, {"inspect", "none.csv"}), 2, "*none.csv*no such file*");
  check_refusal(run(folder, {"inspect", "bars_and_strips"}), 2, "*did you mean 'bars_and_stripes'?*");
  folder.write("t.csv", "a,b\n1,2\n3\n");
  check_refusal(run(folder, {"inspect", "t.csv"}), 1, "t.csv:3: has 1 field, but the first line has 2");
  folder.write("i.csv", "name\na\nb\nc\nd\ne\nf\ng\nh\n");
  check_refusal(
      run(folder, {"inspect", "i.csv"}), 1,
      "i.csv: no column is one of units: column 'name' holds another text in each row: it is left out below.");
}

}  // namespace inspect_test
