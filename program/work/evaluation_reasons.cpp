#include <harmonium/program/work/evaluation_reasons.hpp>

#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/core/types.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::string disagreement(const LogPartitionEstimate& found, double sign) {
  const double low = sign > 0 ? found.low : -found.high, high = sign > 0 ? found.high : -found.low;
  const auto all = [&] {
    if (std::isfinite(low) && std::isfinite(high))
      return fmt::format("By all that was measured {} lies between {:.3f} and {:.3f}.",
                         sign > 0 ? "log Z" : "the figure", low, high);
    if (std::isfinite(low)) return fmt::format("The figure is hardly less than {:.3f}.", low);
    if (std::isfinite(high)) return fmt::format("The figure is hardly more than {:.3f}.", high);
    return std::string("Nothing is known of it.");
  };
  return found.why + ". " + all();
}

void give_reasons(Evaluation& result, const Absent& absent) {
  const auto reason = [&](const std::optional<double>& figure, const char* name, const std::string& why) {
    if (!figure) result.reasons.emplace_back(name, why);
  };
  const std::string& no_data = absent.no_data;
  const std::string gray = "the data holds values between the units' states. Set data.binarize to make states of them.";
  const bool data = result.num_samples.has_value();
  if (!data) result.reasons.emplace_back("num_samples", no_data);
  const std::string holes = absent.no_classes_seen ? "the rows have no classes." : "entries of the data are missing.";
  reason(result.log_z, "log_z", absent.log_z);
  reason(result.ground_state_energy, "ground_state_energy", absent.energy);
  reason(result.mean_energy, "mean_energy", absent.energy);
  reason(result.heat_capacity, "heat_capacity", absent.energy);
  reason(result.entropy, "entropy", absent.energy);
  reason(result.log_likelihood, "log_likelihood",
         !data                 ? no_data
         : !absent.probability ? gray
         : !result.free_energy ? "it takes the free energy, which is absent too."
                               : "it takes log_z, which is absent too.");
  reason(result.free_energy, "free_energy", data ? absent.free_energy : no_data);
  reason(result.pseudo_log_likelihood, "pseudo_log_likelihood",
         !data                 ? no_data
         : !absent.whole       ? holes
         : !absent.probability ? gray
                               : "it takes discrete observed units and a free energy in closed form.");
  reason(result.reconstruction_error, "reconstruction_error",
         !data           ? no_data
         : !absent.whole ? holes
                         : "it takes latent units that are independent given the observed ones, and the reverse.");
  const std::string no_label =
      absent.stack_labels      ? "p(label | rest) of a stack is no closed form. Its first machine tells classes "
                                 "by itself: name machine1 of the stack's folder."
      : !absent.labels         ? no_classes
      : !data                  ? no_data
      : absent.no_classes_seen ? holes
      : absent.no_sums         ? std::string(bound_was_asked)
                               : "what rows lack is a number without a finite number of states, or too much to be "
                                 "summed over.";
  reason(result.accuracy, "accuracy", no_label);
  reason(result.label_log_likelihood, "label_log_likelihood", no_label);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
