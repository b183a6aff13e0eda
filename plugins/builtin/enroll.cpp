#include <harmonium/plugins/builtin/enroll.hpp>

#include <harmonium/estimators/enroll.hpp>
#include <harmonium/framework/data/png_source.hpp>
#include <harmonium/framework/data/table_source.hpp>
#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/edge_list_initializer.hpp>
#include <harmonium/framework/training/low_rank_initializer.hpp>
#include <harmonium/framework/training/metrics.hpp>
#include <harmonium/framework/training/metrics_of_updates.hpp>
#include <harmonium/framework/training/mixing_metric.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/models/enroll.hpp>
#include <harmonium/samplers/enroll.hpp>
#include <harmonium/studies/enroll.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

void enroll_initializers(Registries& registries) {
  auto& initializers = registries.of<Initializer>();
  initializers.add<NormalInitializer>("normal", "normal couplings; observed units start at the data's means");
  initializers.add<UniformInitializer>("uniform", "uniform couplings; observed units start at the data's means");
  initializers.add<EdgeListInitializer>("edge_list", "couplings within a layer from a file of edges: spin glasses");
  initializers.add<LowRankInitializer>("low_rank", "an RBM that has the data's clusters already, along few directions");
  initializers.add<MomentMatchingInitializer>("moment_matching",
                                              "latent units' fields start with mean 0 and one deviation over the data");
}

/// What decides on updates.
void enroll_optimizers(Registries& registries) {
  auto& optimizers = registries.of<Optimizer>();
  optimizers.add<Sgd>("sgd", "stochastic gradient descent, with classical or Nesterov momentum");
  optimizers.add<Adam>("adam", "Adam: steps scaled by the gradient's running moments");

  auto& schedules = registries.of<Schedule>();
  schedules.add<ConstantSchedule>("constant", "1 throughout");
  schedules.add<LinearSchedule>("linear", "straight down to a final factor");
  schedules.add<CosineSchedule>("cosine", "down to a final factor along half a cosine");
  schedules.add<ExponentialSchedule>("exponential", "down to a final factor by the same ratio at each update");
  schedules.add<PowerSchedule>("power", "1 / (1 + t / time)^power");
  schedules.add<StepSchedule>("step", "by a factor every so many epochs");

  auto& regularizers = registries.of<Regularizer>();
  regularizers.add<L2>("l2", "half the squared size of the couplings");
  regularizers.add<L1>("l1", "the size of the couplings");
}

void enroll_observers(Registries& registries) {
  auto& observers = registries.of<Observer>();
  observers.add<LogLikelihoodMetric>("log_likelihood", "mean log likelihood of training, validation and test rows");
  observers.add<PseudoLikelihoodMetric>("pseudo_likelihood", "mean pseudo log likelihood");
  observers.add<ClassificationMetric>("classification",
                                      "how often the likeliest label is the right one, and log p of that");
  observers.add<ReconstructionErrorMetric>("reconstruction_error",
                                           "mean squared error of the deterministic reconstruction");
  observers.add<FreeEnergyGapMetric>("free_energy_gap",
                                     "mean free energy of validation rows minus that of training rows");
  observers.add<GradientNormMetric>("gradient_norm", "root mean square of the gradient's norm over the epoch");
  observers.add<PosteriorBoundMetric>("posterior_bound", "bound and iterations of a mean-field positive phase");
  observers.add<EstimatorFiguresMetric>("estimator_figures",
                                        "what an estimator tells of itself, such as its own log Z");
  observers.add<MixingMetric>("mixing", "whether chains mix on the model as it is, and moments of their draws");
  observers.add<LossMetric>("loss", "the loss of an estimator that does not follow the likelihood");
  observers.add<MeetingTimesMetric>("meeting_times", "mean and longest meeting time of coupled chains");
  observers.add<TemperingMetric>("tempering", "exchanges and round trips of a ladder of temperatures over the epoch");
  observers.add<AcceptanceMetric>("acceptance", "how many of the moves that samplers proposed were accepted");
  observers.add<WeightNormsMetric>("weight_norms", "Euclidean norm of each tensor");
}

void enroll_data(Registries& registries) {
  auto& data = registries.of<DataSource>();
  data.add<IdxSource>("idx", "an IDX file (MNIST's format), plain or gzipped");
  data.add<NpySource>("npy", "a NumPy array file, plain or gzipped");
  data.add<CsvSource>("csv", "numbers in text, separated by commas, semicolons, tabs or blanks, plain or gzipped");
  data.add<TableSource>("table",
                        "a spreadsheet in CSV: columns of words, levels and numbers, each units of its own kind");
  data.add<Hdf5Source>("hdf5", "datasets of an HDF5 file");
  data.add<PngSource>("png", "a folder of PNG pictures of one size; its subfolders are classes");
  data.add<FastaSource>("fasta", "aligned sequences of proteins, DNA or RNA, plain or gzipped");
  data.add<BarsAndStripes>("bars_and_stripes", "all images of bars or of stripes");
  data.add<Diagonal>("diagonal", "ones up to a place, then zeros (Bengio & Delalleau 2009)");
  data.add<OneDBall>("one_d_ball", "stretches of ones on a ring, and their negatives (Bengio & Delalleau 2009)");
  data.add<LabeledShifter>("labeled_shifter", "a pattern, the pattern shifted, and which way");
}

}  // namespace

void enroll_builtin(Registries& registries) {
  enroll_models(registries);
  enroll_samplers(registries);
  enroll_estimators(registries);
#if !defined(HARMONIUM_SINGLE_PRECISION)
  enroll_studies(registries);
#endif
  enroll_initializers(registries);
  enroll_optimizers(registries);
  enroll_observers(registries);
  enroll_data(registries);
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
