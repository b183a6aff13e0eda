#include <harmonium/framework/data/sources.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/sha256.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace sources_test {

using namespace harmonium;
using harmonium::testing::message_of;
using harmonium::testing::ScratchFolder;

namespace {

constexpr RandomSource source{7, 0};

void write(const std::filesystem::path& path, const std::vector<double>& values, Index cols) {
  write_npy(path, MatrixView<const double>{values.data(), values.size() / cols, cols, cols});
}

NpySource::Options options_for(const std::filesystem::path& path) {
  NpySource::Options options;
  options.path = path.string();
  return options;
}

std::string tiny_idx() {
  return std::string("\0\0\x08\x02\0\0\0\x03\0\0\0\x02", 12) + std::string("\x01\x02\x03\x04\x05\x06", 6);
}

}  // namespace

TEST_CASE("a source of files reads each file by one transform") {
  const ScratchFolder folder;
  write(folder / "train.npy", {0, 2, 4, 8, 1, 1}, 2);
  write(folder / "valid.npy", {0, 3}, 2);
  write(folder / "test.npy", {5, 5, 8, 0}, 2);
  write(folder / "w.npy", {1, 2, 1}, 1);
  NpySource::Options options = options_for(folder / "train.npy");
  options.validation_path = (folder / "valid.npy").string();
  options.test_path = (folder / "test.npy").string();
  options.weights = (folder / "w.npy").string();
  options.values.binarize = Binarize::threshold;
  const NpySource data(options);
  const DataSplits splits = data.load(source);
  CHECK(splits.train.rows() == 3);
  CHECK(splits.train.weights() == std::vector<double>{1, 2, 1});
  REQUIRE(splits.train.files().size() == 2);
  CHECK(splits.train.files()[0].path == options.path);
  CHECK(splits.train.files()[0].sha256 == sha256_of_file(options.path));
  REQUIRE(splits.validation);
  REQUIRE(splits.test);
  CHECK(splits.validation->range().high == 8);  // the training file's
  CHECK(splits.test->max().value == 1);

  // The range that was found is written out.
  Value effective = make_table(
      {{"type", make_value("npy")}, {"path", make_value("here/../train.npy")}, {"test_path", make_value("")}});
  const Value resolved = data.resolved(effective, splits);
  const auto& range = std::get<Value::List>(resolved.find("range")->data);
  CHECK(range[0] == make_value(0.0));
  CHECK(range[1] == make_value(8.0));
}

TEST_CASE("a source of IDX files, split") {
  const ScratchFolder folder;
  NpySource::Options options = options_for(folder.write_gzipped("a-idx2-ubyte.gz", tiny_idx()));
  options.split.validation = 1;
  const DataSplits splits = IdxSource(options).load(source);
  CHECK(splits.train.rows() == 2);
  CHECK(splits.validation->rows() == 1);
  CHECK(splits.train.is_bytes());
  CHECK(IdxSource(options).load(source).validation->source_row(0) == splits.validation->source_row(0));
}

TEST_CASE("columns of further CSV files are found by their names, or refused") {
  const ScratchFolder folder;
  CsvSource::Options options;
  options.path = folder.write("train.csv", "a,b,kind\n1,2,0\n3,4,1\n").string();
  options.format.label_column = "last";
  const auto load = [&](const char* content) {
    options.validation_path = folder.write("valid.csv", content).string();
    return *CsvSource(options).load(source).validation;
  };
  const auto row = [](const Dataset& data) {
    std::vector<double> values(2);
    data.fetch<double>(0, 0, {values.data(), 1, 2, 2});
    return values;
  };
  for (const char* content : {"a,b,kind\n5,6,1\n", "kind,b,a\n1,6,5\n", "b,more,kind,a\n6,9,1,5\n", "5,6,1\n"}) {
    CAPTURE(content);
    const Dataset data = load(content);
    CHECK(row(data) == std::vector<double>{5, 6});
    CHECK(data.label(0) == 1);
  }
  CHECK(message_of<ConfigError>([&] { load("a,c,kind\n5,6,1\n"); }) ==
        "[data] " + options.validation_path +
            ": has no column 'b' (did you mean 'c'?), which the training data have. Its columns: a, c, kind; theirs: "
            "a, b. "
            "Columns are found by their names: give them those of the training data.");
  CHECK(message_of<ConfigError>([&] { load("a,b,c\n5,6,1\n"); }).find("label_column is 'kind'") != std::string::npos);
  CHECK(message_of<ConfigError>([&] {
          load("a,b,b,kind\n5,6,7,1\n");
        }).find("two columns are called 'b', so that columns cannot be found by their names") != std::string::npos);
}

TEST_CASE("a further CSV file with the header of the first is read as that is, whatever its columns are called") {
  const ScratchFolder folder;
  CsvSource::Options options;
  const auto load = [&](const char* train, const char* further) {
    options.path = folder.write("train.csv", train).string();
    options.validation_path = folder.write("valid.csv", further).string();
    return CsvSource(options).load(source);
  };
  // The classes are the last column of two with one name.
  options.format.label_column = "3";
  options.format.columns = {"1"};
  const DataSplits splits = load("y,c,c\n1,0,1\n2,1,0\n", "y,c,c\n5,0,1\n6,1,0\n");
  CHECK(splits.train.label(0) == 1);
  CHECK(splits.validation->label(0) == 1);
  CHECK(splits.validation->label(1) == 0);
  // Where they stand elsewhere a name does not tell which of them is meant.
  CHECK(message_of<ConfigError>([&] {
          load("y,c,c\n1,0,1\n2,1,0\n", "c,c,y\n0,1,5\n");
        }).find("two columns are called 'c', as that of the classes is") != std::string::npos);

  options.format.label_column.clear();
  options.format.columns = {"1", "2"};
  CHECK(load("a,x,x,b\n1,2,3,4\n", "a,x,x,b\n5,6,7,8\n").validation->cols() == 2);
}

TEST_CASE("the header of a further CSV file is one also where most of its columns are called by numbers") {
  const ScratchFolder folder;
  CsvSource::Options options;
  options.path = folder.write("train.csv", "10,20,30,40,50,60,70,80,a,b\n1,2,3,4,5,6,7,8,1,2\n").string();
  options.validation_path = folder.write("valid.csv", "10,20,30,40,50,60,70,80,b,a\n1,2,3,4,5,6,7,8,6,5\n").string();
  options.format.ignore = {"1", "2", "3", "4", "5", "6", "7", "8"};
  const Dataset data = *CsvSource(options).load(source).validation;
  std::vector<double> values(2);
  data.fetch<double>(0, 0, {values.data(), 1, 2, 2});
  CHECK(values == std::vector<double>{5, 6});
}

TEST_CASE("a further CSV file that is empty is told to be so") {
  const ScratchFolder folder;
  CsvSource::Options options;
  options.path = folder.write("train.csv", "a,b\n1,2\n").string();
  options.validation_path = folder.write("valid.csv", "").string();
  options.format.header = CsvHeader::present;
  CHECK(message_of<DataError>([&] { CsvSource(options).load(source); }).find("the file is empty") != std::string::npos);
}

TEST_CASE("options of a source are read from a table, and refused with a reason") {
  NpySource::Options options;
  const Value given = make_table({{"path", make_value("x.npy")},
                                  {"scale", make_value(0.5)},
                                  {"binarize", make_value("each_epoch")},
                                  {"validation", make_value(0.1)}});
  const Value effective = read_options(given, "data 'npy'", options);
  CHECK(options.path == "x.npy");
  CHECK(options.values.scale == 0.5);
  CHECK(options.values.binarize == Binarize::each_epoch);
  CHECK(options.split.validation == 0.1);
  REQUIRE(effective.find("test"));
  REQUIRE(effective.find("range"));

  const auto refusal = [](NpySource::Options o) { return message_of<ConfigError>([&] { NpySource{o}; }); };
  CHECK(refusal({}) == "path is missing (the file to train on). Set data.path.");
  NpySource::Options both = options_for("x.npy");
  both.validation_path = "y.npy";
  both.split.validation = 3;
  CHECK(refusal(both) ==
        "validation_path and validation are both given (validation rows come from one of them). Remove one.");
  both.split = {0, 0.5};
  CHECK(refusal(both) == "");
  both.test_path = "z.npy";
  CHECK(refusal(both) == "test_path and test are both given (test rows come from one of them). Remove one.");
}

TEST_CASE("a source says which file is missing, unreadable or wrong") {
  const ScratchFolder folder;
  write(folder / "a.npy", {0, 1, 0, 1}, 2);
  NpySource::Options options = options_for(folder / "a.npy");
  const auto loading = [&] { NpySource(options).load(source); };
  options.path = "nowhere/x.npy";
  CHECK(message_of<ConfigError>(loading) == "[data] path 'nowhere/x.npy': no such file");
  options.path = folder.path().string();
  CHECK(message_of<ConfigError>(loading) ==
        "[data] path '" + options.path + "': a folder, not a file. Name the data file in it.");
  options.path = folder.write("b.npy", "nonsense").string();
  CHECK(message_of<DataError>(loading).find("not an .npy file") != std::string::npos);
  options.path = (folder / "a.npy").string();
  options.validation_path = "nowhere/y.npy";
  CHECK(message_of<ConfigError>(loading) == "[data] validation_path 'nowhere/y.npy': no such file");
  write(folder / "narrow.npy", {0, 1}, 1);
  options.validation_path = (folder / "narrow.npy").string();
  CHECK(message_of<DataError>(loading) ==
        options.validation_path + ": has 1 columns, but " + options.path + " has 2. They must be of one kind.");
  write(folder / "bright.npy", {0, 2}, 2);
  options.validation_path = (folder / "bright.npy").string();
  options.values.binarize = Binarize::stochastic;
  CHECK(message_of<ConfigError>(loading).find(
            "bright.npy: row 0, column 1 (both counted from 0) is 2, outside the range 0 "
            "to 1") != std::string::npos);
  options.validation_path = "";
  options.weights = "nowhere/w.npy";
  CHECK(message_of<ConfigError>(loading) == "[data] weights 'nowhere/w.npy': no such file");
  options.weights = options.path;
  CHECK(message_of<DataError>(loading) == options.path + ": has 2 columns (a vector, one weight a row, expected)");
}

TEST_CASE("generated data needs no options") {
  CHECK(BarsAndStripes({}).load(source).train.rows() == 14);
  CHECK(Diagonal({}).load(source).train.rows() == 7);
  CHECK(OneDBall({}).load(source).train.rows() == 24);
  CHECK(LabeledShifter({}).load(source).train.rows() == 48);
  BarsAndStripes::Options options;
  options.side = 4;
  options.split.test = 0.2;
  const DataSplits splits = BarsAndStripes(options).load(source);
  CHECK(splits.train.rows() == 24);
  CHECK(splits.test->rows() == 6);
  CHECK(splits.train.is_binary());
  const Value effective = make_table({{"side", make_value(std::int64_t{4})}});
  CHECK(BarsAndStripes(options).resolved(effective, splits) == effective);
}

TEST_CASE("the type of a data file is known by its content or name") {
  const ScratchFolder folder;
  write(folder / "a", {1, 2}, 1);
  CHECK(data_type_of_file((folder / "a").string()) == "npy");
  CHECK(data_type_of_file(folder.write_gzipped("b", tiny_idx()).string()) == "idx");
  CHECK(data_type_of_file(folder.write_gzipped("d", "1,2\n").string()) == "csv");
  CHECK(message_of<ConfigError>([] { data_type_of_file("nowhere"); }) == "[data] path 'nowhere': no such file");
  CHECK(message_of<ConfigError>([&] {
          data_type_of_file(folder.write("c.txt", "one or two words").string());
        }).find("Known are IDX") != std::string::npos);
}

TEST_CASE("labels come from a file of their own, whatever its kind, and tell the number of classes") {
  const ScratchFolder folder;
  write(folder / "x.npy", {0, 0, 0, 1, 1, 0, 1, 1}, 2);
  write(folder / "v.npy", {1, 1}, 2);
  NpySource::Options options = options_for(folder / "x.npy");
  options.validation_path = (folder / "v.npy").string();
  options.validation_labels = folder.write("v.csv", "1\n").string();
  for (const std::filesystem::path& labels :
       {folder.write("l.csv", "class\n0\n2\n1\n0\n"),
        folder.write_gzipped("l-idx1-ubyte.gz", std::string("\0\0\x08\x01\0\0\0\x04\0\2\1\0", 12))}) {
    options.labels = labels.string();
    const DataSplits splits = NpySource(options).load(source);
    CHECK(splits.train.num_classes() == 3);
    CHECK(splits.train.label(1) == 2);
    CHECK(splits.train.files().size() == 2);
    CHECK(splits.validation->num_classes() == 3);  // the training labels'
    CHECK(splits.validation->label(0) == 1);
    const Value resolved = NpySource(options).resolved(make_table(), splits);
    CHECK(*resolved.find("num_classes") == make_value(std::int64_t{3}));
  }
  const auto loading = [&] { NpySource(options).load(source); };
  options.validation_labels = folder.write("v.csv", "3\n").string();
  CHECK(message_of<DataError>(loading) ==
        options.validation_labels +
            ": row 0 (counted from 0) is 3, but there are 3 classes, counted from 0. Set data.num_classes.");
  options.num_classes = 4;
  CHECK(NpySource(options).load(source).train.num_classes() == 4);
  options.labels = folder.write("l.csv", "0\n1.5\n0\n0\n").string();
  CHECK(message_of<DataError>(loading) ==
        options.labels + ": row 1 (counted from 0) is 1.5 (a class, an integer from 0 to 65535, expected)");
  options.labels = folder.write("l.csv", "0\n1\n").string();
  CHECK(message_of<DataError>(loading) ==
        options.labels + ": holds 2 labels (one for each of the 4 rows of " + options.path + " expected)");
  options.labels = options.path;
  CHECK(message_of<DataError>(loading) == options.path + ": has 2 columns (a vector, one class a row, expected)");
  options.labels = "nowhere";
  CHECK(message_of<ConfigError>(loading) == "[data] labels 'nowhere': no such file");
}

TEST_CASE("a CSV column and an HDF5 dataset are labels") {
  const ScratchFolder folder;
  CsvSource::Options csv;
  csv.path = folder.write("a.csv", "x,digit,y\n0,4,1\n1,0,1\n").string();
  csv.format.label_column = "digit";
  const DataSplits splits = CsvSource(csv).load(source);
  CHECK(splits.train.cols() == 2);
  CHECK(splits.train.num_classes() == 5);
  CHECK(splits.train.label(0) == 4);
  csv.labels = csv.path;
  CHECK(message_of<ConfigError>([&] { CsvSource(csv).load(source); }) ==
        "[data] labels '" + csv.path + "': " + csv.path + " holds labels already. Leave one of the two out.");

  Hdf5File file = Hdf5File::create(folder / "a.h5");
  file.write<float>("samples", std::vector<float>{0, 1, 0.5f, 1}, {2, 2});
  file.write("labels", std::vector<std::uint8_t>{1, 0});
  file.close();
  Hdf5Source::Options hdf5;
  hdf5.path = (folder / "a.h5").string();
  CHECK(Hdf5Source(hdf5).load(source).train.num_classes() == 2);
  hdf5.format.label_dataset = "classes";
  CHECK(message_of<ConfigError>([&] { Hdf5Source(hdf5).load(source); }) ==
        hdf5.path +
            ": has no dataset 'classes'. It has: labels, samples. Set data.label_dataset, or name it as in "
            "a.h5:label_dataset=labels.");
}

TEST_CASE("sequences are weighed by how many are alike") {
  const ScratchFolder folder;
  FastaSource::Options options;
  options.path = folder.write("a.fasta", ">a\nACDEF\n>b\nACDEF\n>c\nACDE-\n>d\nYYYYY\n").string();
  options.format.reweight = 0.2;  // fewer than one of five sites
  CHECK(FastaSource(options).load(source).train.weights() == std::vector<double>{0.5, 0.5, 1, 1});
  options.format.reweight = 0.4;  // fewer than two
  CHECK(FastaSource(options).load(source).train.weights() == std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3, 1});
  options.weights = options.path;
  CHECK(message_of<ConfigError>([&] { FastaSource{options}; }) == "reweight and weights are both given. Remove one.");
}

TEST_CASE("a transform is fitted to the training rows and applied to all") {
  const ScratchFolder folder;
  write(folder / "x.npy", {0, 10, 2, 10, 4, 10, 6, 10}, 2);
  write(folder / "t.npy", {3, 12}, 2);
  NpySource::Options options = options_for(folder / "x.npy");
  options.split.validation = 1;
  options.test_path = (folder / "t.npy").string();
  const DataSplits before = NpySource(options).load(source);
  options.transform.standardize = true;
  const DataSplits after = NpySource(options).load(source);
  const Transform& transform = *after.train.transform();
  CHECK(transform.mean()[0] == before.train.column_means()[0]);
  CHECK(transform.constant_columns() == std::vector<Index>{1});
  CHECK(after.validation->transform() == after.train.transform());
  CHECK(after.validation->source_row(0) == before.validation->source_row(0));
  double row[2];
  after.test->fetch(0, 0, MatrixView<double>{row, 1, 2, 2});
  CHECK(row[0] == (3 - transform.mean()[0]) / transform.scale()[0]);
  CHECK(row[1] == 2);
  options.transform.whiten = Whiten::zca;
  CHECK(message_of<ConfigError>([&] { NpySource{options}; }) ==
        "standardize and whiten are both given (whitened columns have variance 1 already). Remove one.");
  options.transform = {false, Whiten::none, 0.5};
  CHECK(message_of<ConfigError>([&] { NpySource{options}; }) ==
        "whiten_epsilon is given, and nothing is whitened. Set whiten = \"zca\", or leave whiten_epsilon out.");
  options.transform = {.standardize = true};
  options.values.binarize = Binarize::threshold;
  CHECK(message_of<ConfigError>([&] { NpySource{options}; }) ==
        "standardize and binarize are both given (bits are what they are). Remove one.");
}

TEST_CASE("what says how a file is read goes with a model to other files, what was fitted to it does not") {
  CHECK(carries_over("binarize", false));
  CHECK(carries_over("label_column", true));
  CHECK_FALSE(carries_over("label_column", false));
  for (const char* key : {"labels", "weights", "test_path", "validation", "standardize", "reweight"})
    CHECK_FALSE(carries_over(key, true));
}

}  // namespace sources_test
