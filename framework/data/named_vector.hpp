#pragma once

#include <optional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// A file of a number or a word a row, as a [data] table names it: FILE, FILE:array=NAME of an archive of arrays (.npz), or
/// FILE:samples=NAME of HDF5. A file of the whole name comes first.
struct NamedVector {
  std::string file;
  std::string array = {};    ///< empty: the only one
  std::string dataset = {};  ///< empty: the usual one
};

/// `key`: that of [data] which `text` is of. Throws ConfigError where there is no such file, or an archive of several arrays is
/// named alone.
NamedVector named_vector(const std::string& key, const std::string& text);

/// The numbers of such a file, one a row; `what` names one of them in messages, `dataset` the usual one of HDF5.
std::vector<double> read_vector(const NamedVector& named, const char* what, const std::string& dataset);

/// The class of each row.
struct RowClasses {
  std::vector<double> numbers;
  std::vector<std::string>
      words;  ///< what the classes are called, that of class 0 first; empty: numbers alone are known
};
/// Reads them from a file of numbers or words. Words are those of `known` or, without any, numbered in the order of the alphabet.
/// `rows`: how many rows they are of, by which a first line of a text is told from a header; a word that stands there alone is taken
/// for one where there are not as many lines. Throws DataError where they are neither.
RowClasses read_classes(const NamedVector& named, const std::vector<std::string>& known,
                        std::optional<Index> rows = {});

}  // namespace v1
}  // namespace harmonium
