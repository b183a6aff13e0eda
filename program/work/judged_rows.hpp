#pragma once

#include <functional>
#include <string>
#include <vector>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace v1 {

/// Stands for the class of a row that has no class, or whose class cannot be told exactly.
inline constexpr Index no_class = static_cast<Index>(-1);

/// Figures of each row of a data set, in nats; empty where the model does not offer one, NaN for a row whose sum is
/// not exact. And which rows they are.
struct RowTable {
  std::vector<double> free_energy, pseudo_log_likelihood;
  /// A lower bound of -free_energy; empty where none is of single rows.
  std::vector<double> bound = {};
  /// log p(x_free | x_held), NaN where nothing of what is free was seen; empty where it was not asked for.
  std::vector<double> log_conditional = {};
  /// Of a model that tells classes: p(y | x) of the class that is predicted; 1 where that is the row's own, else 0; log p of its own.
  /// NaN of what is not known.
  std::vector<double> predicted_probability = {}, accuracy = {}, label_log_likelihood = {};
  /// The class of the largest p(y | x): no_class where there is none, or once the classes are named the word that is empty.
  std::vector<Index> predicted = {};
  std::vector<std::string> predicted_word =
      {};                                     ///< what each class of the model is called; empty where they are numbers
  std::vector<Index> row = {};                ///< its number in its file, from 0, as messages have it
  std::vector<std::string> name = {};         ///< empty where the data has no names of rows
  std::vector<Index> of_class = {};           ///< empty where the data has no classes
  std::vector<std::string> class_words = {};  ///< what each class is called; empty where they are numbers
};

/// Rows that a model was judged by, and what each came to.
struct JudgedRows {
  std::string words;  ///< what they are: "rows", "test rows"
  RowTable table;
  /// What is to be added to each log likelihood for that of the data's own units; one for all rows, or one a row.
  std::vector<double> log_jacobian;
  bool drawn = false;  ///< whether they are bits that were drawn of gray values
  Index columns = 0;   ///< without those of the class
  /// What each of these is called; and whether the model gives it a density, and no probability.
  std::vector<std::string> column_names = {};
  std::vector<bool> densities = {};
  /// Of rows [first, first + count): the numbers as their file has them, NaN where nothing was seen, and behind them the class that
  /// the model was shown, NaN where it was shown none; columns + 1 numbers a row.
  std::function<std::vector<double>(Index first, Index count)> values = {};

  Index rows() const { return table.row.size(); }
};

}  // namespace v1
}  // namespace harmonium
