#pragma once

#include <string>
#include <vector>

#include <harmonium/program/work/findings.hpp>

namespace harmonium {
inline namespace v1 {

/// A sentence on what a stack came to.
struct OutcomeLine {
  std::string words;
  bool warns = false;  ///< nothing, or nothing good, is known of the machines above the first
};

/// What is known of a stack on these rows: its figure beside that of its first machine, as far as each is known, and what the machines
/// above do to it. `more` says what tells more, and stands where log Z was annealed. `on_training` says what to change in the training
/// of machines that lower it, in place of the general advice; empty: that.
std::vector<OutcomeLine> outcome_lines(const std::string& rows, const Evaluation& e, const std::string& more,
                                       const std::string& on_training = "");

/// The commands that anneal what was annealed of the stack in `folder`, with `option` behind each: a fine-tuned one and its first
/// machine are evaluated by one each.
std::string annealing_commands(const Evaluations& all, const std::string& folder, bool fine_tuned,
                               const std::string& option = "");

/// Whether a longer annealing may tell what is not known of some rows.
bool undecided(const Evaluations& all);

/// What tells more of the stack in `folder`, and about how long it takes: all of an annealing that was made in part, or a longer one where
/// all of it did not decide; empty where there is nothing to anneal longer.
std::string words_on_more(const Evaluations& all, const std::string& folder, bool fine_tuned);

}  // namespace v1
}  // namespace harmonium
