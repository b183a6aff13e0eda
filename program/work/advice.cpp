#include <harmonium/program/work/advice.hpp>

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <harmonium/program/work/proposal.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

const std::map<std::string, std::string> when_to_change = {
    {"seed", "Another seed is another run of the same kind: two or three tell how far results scatter."},
    {"data.binarize",
     "The values are gray, and units are bits: \"threshold\" is the same bits in each epoch. \"each_epoch\" keeps the "
     "gray levels, as probabilities, and takes longer to learn. Likelihoods under the two cannot be compared."},
    {"data.alphabet", "Found by the letters of the file; another can be set."},
    {"data.reweight", "A family's sequences are relatives, and some branches of it were read more often than others."},
    {"data.standardize",
     "The values are no bits: Gaussian units take them, and want columns of mean 0 and deviation 1. For bits set "
     "data.binarize in its place."},
    {"data.whiten",
     "The values are no bits: Gaussian units take them. What neighbors have in common is taken out first, so that "
     "hidden units find the rest. For bits set data.binarize in its place."},
    {"data.validation",
     "These rows, drawn at random, are left out of training, so that learning by heart can be seen. 0: train on all "
     "rows."},
    {"data.ignore", "Columns that are left out."},
    {"data.missing", "Entries that are not there are summed or drawn, as hidden units are."},
    {"model.observed_layers", "Columns of one kind have a layer together, in the order of the columns."},
    {"model.num_visible", "One for each column of a row, or each site of a sequence; labels are not counted."},
    {"model.num_hidden",
     "More fit more, and take more time and more rows; up to about 25 the exact likelihood can be had."},
    {"data.whiten_epsilon", "Directions in which the images hardly vary are noise: more leaves more of it out."},
    {"initializer.hidden_bias",
     "Hidden units that are rarely active at first, so that each finds something of its own."},
    {"regularizers[0].strength", "More leaves fewer couplings that count: filters of fewer points."},
    {"initializer.std",
     "Larger than usual: Gaussian units, and few columns, take long to leave couplings that begin near 0."},
    {"model.num_labels",
     "The data has labels, so that the model is of rows and classes together. 0: of the rows alone."},
    {"model.visible_units", "Of the kind of the data's values."},
    {"model.learn_precision", "Without it noise of variance 1 is added to whatever the hidden units explain."},
    {"estimator.centering", "Leave it: without it hidden units may all become one."},
    {"estimator.gibbs_steps", "Raise it (5, 10) where the likelihood falls after a while: chains then lag behind."},
    {"optimizer.learning_rate",
     "Halve it where figures jump or the run diverges, double it where they creep. Fewer columns begin with larger "
     "steps."},
    {"optimizer.schedule", "The rate ends at 0, so that the last parameters are not the noise of the last batches."},
    {"training.num_epochs", "Raise it while the figures still improve at the end."},
    {"training.batch_size", "Larger is smoother and makes fewer updates of an epoch."},
    {"training.checkpoint_every", "From the last checkpoint a run that was broken off goes on with --resume."},
};

/// Settings whose advice is on units that no data are of.
constexpr const char* on_latent_units[] = {"estimator.centering", "initializer.hidden_bias", "model.learn_precision"};

/// Of those that are proposed; whoever names another knows why.
std::string advice_on_estimator(const std::string& name) {
  if (name == "pcd")
    return "\"cd\" is quicker at first and ends worse; \"exact\" is for fewer than 20 units in one layer, with "
           "no setting of its own.";
  if (name == "exact")
    return "For fewer than 20 units in one layer, with no setting of its own; \"pcd\" has chains in place of the sum.";
  return "";
}

}  // namespace

std::string advice_on(const std::string& setting, const AdviceCase& of) {
  if (setting == "estimator.type") return advice_on_estimator(of.estimator);
  if (!of.has_latent && std::ranges::find(on_latent_units, setting) != std::end(on_latent_units)) return "";
  if (of.numbers_lack && setting == "model.num_hidden")
    return fmt::format(
        "More fit more, and take more time and more rows; with up to {} the likelihood of rows that lack numbers can "
        "be had exactly.",
        most_hidden_summed);
  if (of.followed && setting == "observers[0]")
    return fmt::format(
        "Of rows that lack numbers it takes at most {} hidden units. With more, take this table out, or add --set "
        "observers= to the command.",
        most_hidden_summed);
  if (of.followed && setting == "observers[0].every")
    return "Sums over what rows lack take long: a smaller number shows more, and makes the run slower.";
  const auto found = when_to_change.find(setting);
  return found == when_to_change.end() ? "" : found->second;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
