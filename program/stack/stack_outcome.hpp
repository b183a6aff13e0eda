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

/// What the machines above the first do to each part of the data, once for the parts of which it is the same but for figures, or why
/// nothing is known. `more` says what tells more, and stands behind where log Z was annealed. `on_training` says what to change in the
/// training of machines that lower the likelihood, in place of the general advice; empty: that.
std::vector<OutcomeLine> outcome_lines(const Evaluations& all, const std::string& more,
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
