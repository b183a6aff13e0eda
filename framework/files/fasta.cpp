#include <harmonium/framework/files/fasta.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/files/fasta_names.hpp>
#include <harmonium/framework/files/line_reader.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

constexpr std::uint8_t unknown_letter = 255;

class FastaParser {
 public:
  FastaParser(const std::filesystem::path& path, const FastaOptions& options) : lines_(path), options_(options) {
    const std::string letters = options.letters();
    letters_ = letters.size();
    code_.fill(unknown_letter);
    for (Index i = 0; i < letters.size(); ++i) {
      const auto letter = static_cast<unsigned char>(letters[i]);
      code_[letter] = static_cast<std::uint8_t>(i);
      code_[static_cast<unsigned char>(std::tolower(letter))] = static_cast<std::uint8_t>(i);
    }
    gap_ = code_['-'];  // unknown_letter where sequences have none
    if (code_['.'] == unknown_letter) code_['.'] = gap_;
  }

  Table parse() {
    while (const std::optional<std::string_view> line = lines_.next()) {
      if (line->starts_with('>')) {
        end_sequence();
        name_ = fasta_name(*line);
        name_line_ = lines_.number();
        named_ = true;
      } else if (!line->starts_with(';')) {  // a remark, as the format's oldest form has them
        take(*line);
      }
    }
    end_sequence();
    if (rows_ == 0) throw DataError(fmt::format("{}: has no sequences (lines '>name' expected)", lines_.name()));
    return {rows_, sites_ * letters_, std::move(values_), {rows_, sites_, letters_}};
  }

 private:
  void take(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char letter = line[i];
      if (letter == ' ' || letter == '\t') continue;
      if (!named_)
        throw DataError(fmt::format("{}:{}: not a FASTA file: a line '>name' must stand before the first sequence",
                                    lines_.name(), lines_.number()));
      std::uint8_t code = code_[static_cast<unsigned char>(letter)];
      if (code == unknown_letter) {
        if (options_.unknown == UnknownLetter::refuse || !std::isalpha(static_cast<unsigned char>(letter))) {
          const auto byte = static_cast<unsigned char>(letter);
          throw DataError(
              fmt::format("{}:{}: place {}: sequence '{}' has the letter {}, which is not of the alphabet {}. "
                          "Set data.alphabet{}.",
                          lines_.name(), lines_.number(), i + 1, name_,
                          std::isprint(byte) ? fmt::format("'{}'", letter) : fmt::format("{:#04x}", byte),
                          options_.letters(), gap_ == unknown_letter ? "" : ", or data.unknown to \"gap\""));
        }
        code = gap_;
      }
      sequence_.push_back(code);
    }
  }

  void end_sequence() {
    if (!named_) return;
    if (sequence_.empty())
      throw DataError(fmt::format("{}:{}: sequence '{}' is empty", lines_.name(), name_line_, name_));
    if (rows_ == 0) sites_ = sequence_.size();
    if (sequence_.size() != sites_)
      throw DataError(fmt::format("{}:{}: sequence '{}' has {} sites, but the first has {} (an alignment expected)",
                                  lines_.name(), name_line_, name_, sequence_.size(), sites_));
    const std::size_t begin = values_.size();
    values_.resize(begin + sites_ * letters_);
    for (Index i = 0; i < sites_; ++i) values_[begin + i * letters_ + sequence_[i]] = 1;
    ++rows_;
    sequence_.clear();
  }

  LineReader lines_;
  const FastaOptions& options_;
  std::array<std::uint8_t, 256> code_{};
  Index letters_ = 0, rows_ = 0, sites_ = 0;
  std::uint8_t gap_ = 0;
  std::string name_;
  std::uint64_t name_line_ = 0;
  bool named_ = false;
  std::vector<std::uint8_t> sequence_, values_;
};

}  // namespace

std::string FastaOptions::letters() const {
  const auto with_gap = [&](const std::string& letters) {
    return gap == GapPlace::first ? "-" + letters : letters + "-";
  };
  if (alphabet == "protein") return with_gap("ACDEFGHIKLMNPQRSTVWY");
  if (alphabet == "dna") return with_gap("ACGT");
  if (alphabet == "rna") return with_gap("ACGU");
  return alphabet;
}

void FastaOptions::bind(OptionBinder& o) {
  static constexpr OptionBinder::Choice<GapPlace> places[] = {{"first", GapPlace::first}, {"last", GapPlace::last}};
  static constexpr OptionBinder::Choice<UnknownLetter> unknowns[] = {{"error", UnknownLetter::refuse},
                                                                     {"gap", UnknownLetter::gap}};
  o.option(
      "alphabet", alphabet,
      "protein (20 amino acids in the order of their letters, and the gap), dna or rna (4 bases and the gap), or the "
      "letters themselves in the order wanted, with '-' if there are gaps; empty: by what the files have");
  o.choice("gap", gap, places, "where the gap stands in the order of protein, dna and rna");
  o.choice("unknown", unknown, unknowns, "what a letter beyond the alphabet is; a gap if that is of the alphabet");
}

void FastaOptions::validate() const {
  if (alphabet == "protein" || alphabet == "dna" || alphabet == "rna") return;
  if (gap != FastaOptions().gap)
    throw ConfigError(
        "gap is given beside letters of one's own, among which '-' has its place, if any. Leave gap out.");
  constexpr std::size_t most = 200;
  std::string sorted = alphabet;
  std::sort(sorted.begin(), sorted.end());
  const bool fit = std::all_of(sorted.begin(), sorted.end(), [](unsigned char c) {
    return std::isupper(c) || std::isdigit(c) || c == '-' || c == '*' || c == '.';
  });
  const bool repeats = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (!fit || repeats || sorted.size() > most || sorted.size() < 2 || alphabet == "DNA" || alphabet == "RNA")
    throw ConfigError(fmt::format(
        "alphabet is '{}' (protein, dna, rna, or the letters themselves, each once: capital ones, such as -ACGT, or "
        "ACGT of sequences without gaps)",
        alphabet));
  if (unknown == UnknownLetter::gap && alphabet.find('-') == std::string::npos)
    throw ConfigError(
        fmt::format("unknown is \"gap\", and alphabet '{}' has none. Put '-' among its letters.", alphabet));
}

Table read_fasta(const std::filesystem::path& path, const FastaOptions& options) {
  options.validate();
  return FastaParser(path, options).parse();
}

std::vector<double> similarity_weights(const Table& sequences, double distance) {
  const Index rows = sequences.rows, sites = sequences.shape[1], letters = sequences.shape[2];
  const auto& bits = std::get<NumberArray<std::uint8_t>>(sequences.values);
  std::vector<std::uint8_t> codes(rows * sites);
  for (Index i = 0; i < codes.size(); ++i) {
    const std::uint8_t* site = bits.data() + i * letters;
    codes[i] = static_cast<std::uint8_t>(std::find(site, site + letters, 1) - site);
  }
  const double min = std::max(1.0, std::floor(distance * static_cast<double>(sites) + 1e-9));
  std::vector<Index> relatives(rows, 1);
  for (Index a = 0; a < rows; ++a) {
    const std::uint8_t* x = codes.data() + a * sites;
    for (Index b = a + 1; b < rows; ++b) {
      const std::uint8_t* y = codes.data() + b * sites;
      unsigned unlike = 0;
      for (Index i = 0; i < sites; ++i) unlike += x[i] != y[i];
      if (unlike >= min) continue;
      ++relatives[a];
      ++relatives[b];
    }
  }
  std::vector<double> weights(rows);
  std::transform(relatives.begin(), relatives.end(), weights.begin(),
                 [](Index n) { return 1.0 / static_cast<double>(n); });
  return weights;
}

}  // namespace v1
}  // namespace harmonium
