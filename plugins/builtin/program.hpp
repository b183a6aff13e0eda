#pragma once

#include <harmonium/framework/config/options.hpp>
#include <harmonium/framework/core/types.hpp>
#include <harmonium/framework/run/request.hpp>

// The commands of both precisions with everything that is built in, for a program that names Real nowhere and chooses at
// run time. Requests and results are the same types in both.
#define HARMONIUM_DECLARE_PROGRAM                                                             \
  TrainOutcome run_train(const TrainRequest& request);                                        \
  std::string run_explain(const TrainRequest& request);                                       \
  std::string run_init(const InitRequest& request);                                           \
  void run_import(const ImportRequest& request);                                              \
  std::string run_sample(const SampleRequest& request);                                       \
  Evaluation run_evaluate(const EvaluateRequest& request);                                    \
  std::vector<GradientComparison> run_gradient(const GradientRequest& request);               \
  std::vector<DrawnPicture> run_draw(const DrawRequest& request);                             \
  std::string run_drawn_model(const DrawRequest& request);                                    \
  StudyOutcome run_study(const StudyRequest& request);                                        \
  /* The components that there are, and the studies: kind, name, summary, origin, options. */ \
  std::vector<ComponentDescription> run_describe();

namespace harmonium {
inline namespace v1 {

struct ComponentDescription {
  std::string kind, name, summary, origin;
  std::vector<OptionInfo> options;
};

}  // namespace v1

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
