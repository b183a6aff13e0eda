#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/run/request.hpp>
#include <harmonium/framework/testing/report.hpp>

// The commands of both precisions with everything that is built in, for a program that names Real nowhere and chooses at
// run time. Requests and results are the same types in both.
#define HARMONIUM_DECLARE_PROGRAM                                                          \
  TrainOutcome run_train(const TrainRequest& request);                                     \
  std::string run_explain(const TrainRequest& request);                                    \
  std::vector<CheckResult> run_check(const TrainRequest& request);                         \
  std::string run_init(const InitRequest& request);                                        \
  void run_import(const ImportRequest& request);                                           \
  std::string run_sample(const SampleRequest& request);                                    \
  Evaluation run_evaluate(const EvaluateRequest& request);                                 \
  GradientFigures run_gradient(const GradientRequest& request);                            \
  std::vector<DrawnPicture> run_draw(const DrawRequest& request);                          \
  std::string run_drawn_model(const DrawRequest& request);                                 \
  StudyOutcome run_study(const StudyRequest& request);                                     \
  /* The components that there are, studies and those of plugins among them. */            \
  std::vector<ComponentDescription> run_describe(const std::vector<std::string>& plugins); \
  /* The plugins of this precision that are given as files or found. */                    \
  std::vector<PluginListing> run_plugins(const std::vector<std::string>& plugins);

namespace harmonium {
#if defined(HARMONIUM_SINGLE_PRECISION)
inline namespace v1_f32 {
HARMONIUM_DECLARE_PROGRAM
}
namespace v1_f64 {
HARMONIUM_DECLARE_PROGRAM
}
#else
inline namespace v1_f64 {
HARMONIUM_DECLARE_PROGRAM
}
namespace v1_f32 {
HARMONIUM_DECLARE_PROGRAM
}
#endif

}  // namespace harmonium

#undef HARMONIUM_DECLARE_PROGRAM
