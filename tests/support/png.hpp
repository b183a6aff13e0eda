#pragma once

#include <filesystem>
#include <string>

#include <harmonium/framework/files/png.hpp>

namespace harmonium::testing {

/// A PNG file as libpng reads it: points, texts, and how it is kept. Throws std::runtime_error where it is none.
struct ReadPng {
  Image image;
  ImageTexts texts;
  int channels = 0, bits = 0;
  bool has_time = false;

  /// The text of a keyword; empty where there is none.
  std::string text(const std::string& keyword) const;
};
ReadPng read_png(const std::filesystem::path& path);

}  // namespace harmonium::testing
