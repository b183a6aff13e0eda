#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace harmonium {
inline namespace v1 {

/// What it means that a row has no class: an error, or that it was not seen.
enum class AbsentClass { refuse, unseen };

/// The class of each row, as a column of text tells it: all by numbers, or all by words.
class CsvClasses {
 public:
  /// `known`: the words of class 0, 1, …; none: they are found, and numbered in the order of the alphabet.
  explicit CsvClasses(std::vector<std::string> known, AbsentClass absent = AbsentClass::refuse);

  /// Takes that of the next row; returns what is wrong with it, empty where nothing is.
  std::string add(const std::string& text);
  /// The same of a text that is this number, where no words are known.
  std::string add_number(double number);
  bool by_words() const { return !known_.empty() || !found_.empty(); }

  /// One a row, NaN where it was not seen; those of words are integers from 0. Once.
  std::vector<double> take();
  /// After `take`: the word of each class; empty where they are numbers.
  const std::vector<std::string>& words() const { return known_; }

 private:
  std::vector<std::string> known_;
  AbsentClass absent_;
  std::map<std::string, std::uint32_t> found_;  // in the order in which they came
  std::vector<double> numbers_;
};

}  // namespace v1
}  // namespace harmonium
