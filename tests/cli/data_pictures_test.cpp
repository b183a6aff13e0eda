// Folders of PNG pictures as data, and archives of several arrays.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <harmonium/framework/files/png.hpp>

#include "files.hpp"

namespace data_pictures_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// 4 x 4 points, black but for a white row or column.
void write_line(const std::filesystem::path& path, Index at, bool row) {
  std::filesystem::create_directories(path.parent_path());
  Image image(4, 4, {0, 0, 0});
  for (Index k = 0; k < 4; ++k) (row ? image(at, k) : image(k, at)) = {255, 255, 255};
  write_png(path, image);
}

constexpr const char* lines_config = R"(data = { type = "png", path = "lines", binarize = "threshold" }
model = { type = "rbm", num_visible = 16, num_hidden = 3, num_labels = 2 }
estimator = { type = "cd" }
training = { num_epochs = 2, batch_size = 4 }
)";

}  // namespace

TEST_CASE("a folder of pictures is trained on, its subfolders being classes") {
  const ScratchFolder folder;
  for (Index k = 0; k < 4; ++k) {
    write_line(folder / "lines" / "rows" / (std::to_string(k) + ".png"), k, true);
    write_line(folder / "lines" / "columns" / (std::to_string(k) + ".png"), k, false);
  }
  const Outcome told = run(folder, {"inspect", "lines", "--json"});
  REQUIRE(told.status == 0);
  const auto found = nlohmann::json::parse(told.out);
  CHECK(found["type"] == "png");
  CHECK(found["num_rows"] == 8);
  CHECK(found["shape"] == nlohmann::json({4, 4}));
  CHECK(found["classes"]["levels"][0]["level"] == "columns");
  folder.write("lines.toml", lines_config);
  CHECK(run(folder, {"train", "lines.toml", "--output", "run"}).status == 0);
  const Outcome judged = run(folder, {"evaluate", "run", "--data", "lines", "--json"});
  REQUIRE(judged.status == 0);
  CHECK(nlohmann::json::parse(judged.out)["num_samples"] == 8);
  CHECK(run(folder, {"evaluate", "run"}).status == 0);
  CHECK(run(folder, {"init", "lines", "--output", "init.toml"}).status == 0);
  // Another picture makes other data of it.
  write_line(folder / "lines" / "rows" / "9.png", 0, true);
  CHECK(run(folder, {"evaluate", "run"}).status != 0);
  // A class that there was not.
  write_line(folder / "other" / "dots" / "1.png", 1, true);
  check_refusal(run(folder, {"evaluate", "run", "--data", "other"}), 1,
                "*other: its subfolder 'dots' is no class: these are columns, rows. Set data.classes.");
}

TEST_CASE("a picture that cannot be one of the rows is named") {
  const ScratchFolder folder;
  write_line(folder / "lines" / "a.png", 1, true);
  folder.write("lines/b.png", "no picture");
  folder.write("lines.toml", lines_config);
  check_refusal(run(folder, {"train", "lines.toml", "--output", "run"}), 1,
                "*lines/b.png: not a PNG picture that can be read: *");
  write_png(folder / "lines" / "b.png", Image(5, 4, {0, 0, 0}));
  check_refusal(run(folder, {"train", "lines.toml", "--output", "run"}), 1,
                "*lines/b.png: has 5 x 4 points, but *lines/a.png has 4 x 4. Bring all to one size.");
  check_refusal(run(folder, {"train", "lines.toml", "--set", "data.path=lines/a.png", "--output", "run"}), 2,
                "*[data] path '*lines/a.png': a file, not a folder of pictures.");
  std::filesystem::create_directories(folder / "empty");
  check_refusal(run(folder, {"train", "lines.toml", "--set", "data.path=empty", "--output", "run"}), 1,
                "*empty: no PNG pictures (.png) lie in this folder");
}

}  // namespace data_pictures_test
