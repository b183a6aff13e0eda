#include <cmath>

#include <doctest/doctest.h>

#include <harmonium/framework/files/hdf5.hpp>
#include <harmonium/framework/run/model_file.hpp>
#include <harmonium/program/work/commands.hpp>
#include <harmonium/samplers/exact.hpp>
#include <harmonium/samplers/flip_the_state.hpp>
#include <harmonium/samplers/gibbs.hpp>
#include <harmonium/samplers/metropolis.hpp>
#include <harmonium/tests/support/machines.hpp>
#include <harmonium/tests/support/runs.hpp>
#include <harmonium/tests/support/scratch.hpp>

namespace sampling_test {

using namespace harmonium;
using namespace harmonium::testing;

namespace {

/// Puts every parameter on multiples of 1/16: fields are then exact sums, whatever the order in which they are added,
/// and equality of chains does not hang on how BLAS cuts its work.
void round_parameters(EnergyModel& model) {
  model.update_parameters([](std::span<Real> theta) {
    for (Real& t : theta) t = std::round(t * 16) / 16;
  });
}

std::vector<Real> values_of(const Chains& chains, const Layout& layout, Index begin, Index end) {
  std::vector<Real> all;
  for (Index r = begin; r < end; ++r)
    for (const LayerId l : layout.ids()) {
      const ConstMatrixRef x = chains.read(l);
      all.insert(all.end(), x.row(r), x.row(r) + x.cols);
    }
  return all;
}

void start_uniform(const Layout& layout, Chains& chains) {
  for (const LayerId l : layout.ids())
    layout[l].unit->sample_uniform(DrawBlock::of({8, 9}, chains.first_chain(), 0, l), chains.write(l));
}

std::filesystem::path model_file(const ScratchFolder& scratch) {
  train_in(scratch / "run", config_of(setups().front(), 3, 0));
  const std::filesystem::path path = scratch / "run/model.h5";
  const ModelHeader header = read_model_header(path);
  const auto model = load_model(path, header, builtin());
  round_parameters(*model);
  save_model(scratch / "rounded.h5", *model, header.config, builtin());
  return scratch / "rounded.h5";
}

std::vector<double> samples(const ScratchFolder& scratch, const std::filesystem::path& model, std::uint64_t number,
                            int threads, const std::string& sampler = "gibbs", std::uint64_t thin = 0) {
  SampleRequest request;
  request.model = model.string();
  request.output = (scratch / "samples.h5").string();
  request.sampler = sampler;
  request.num_samples = number;
  request.steps = 3;
  request.thin = thin;
  request.threads = threads;
  request.seed = 77;
  sample(request, builtin());
  return Hdf5File::open(scratch / "samples.h5").read<double>("samples").values;
}

}  // namespace

TEST_CASE("chains drawn in pieces are those drawn at once, on any number of threads") {
  for (auto make : {&small_rbm, &small_general, &small_deep}) {
    const auto model = make();
    round_parameters(*model);
    const Layout& layout = model->layout();
    Gibbs gibbs, small_tiles({12});
    Gibbs random_scan({.scan = Scan::random});
    Metropolis metropolis;
    FlipTheState flip;
    Exact exact;
    for (Sampler* sampler :
         {static_cast<Sampler*>(&gibbs), static_cast<Sampler*>(&small_tiles), static_cast<Sampler*>(&random_scan),
          static_cast<Sampler*>(&metropolis), static_cast<Sampler*>(&flip), static_cast<Sampler*>(&exact)}) {
      constexpr Index all = 601;
      const Executor one(1), three(3);
      Chains whole(layout, all, 5);
      start_uniform(layout, whole);
      sampler->advance(Target{*model}, whole, 4, {one, {1, 2}});
      // Pieces of one row, of fewer than a tile, of more, and one that ends within four chains that share a block.
      for (const Index piece : {Index{1}, Index{7}, Index{130}, Index{301}}) {
        for (const Executor* executor : {&one, &three}) {
          std::vector<Real> joined;
          for (Index first = 0; first < all; first += piece) {
            Chains part(layout, std::min(piece, all - first), static_cast<std::uint32_t>(5 + first));
            start_uniform(layout, part);
            // Two calls of two steps are one of four.
            sampler->advance(Target{*model}, part, 2, {*executor, {1, 2}});
            sampler->advance(Target{*model}, part, 2, {*executor, {1, 2}});
            const auto values = values_of(part, layout, 0, part.size());
            joined.insert(joined.end(), values.begin(), values.end());
          }
          CAPTURE(piece);
          CHECK(joined == values_of(whole, layout, 0, all));
        }
      }
    }
  }
}

TEST_CASE("samples do not depend on the number of threads, nor on how many more are drawn") {
  const ScratchFolder scratch;
  const auto model = model_file(scratch);
  for (const std::string sampler : {"gibbs", "metropolis", "flip_the_state", "exact"}) {
    CAPTURE(sampler);
    // More than are drawn at a time.
    const std::vector<double> many = samples(scratch, model, 8300, 1, sampler);
    REQUIRE(many.size() == 8300 * 15);
    CHECK(samples(scratch, model, 8300, 2, sampler) == many);
    CHECK(samples(scratch, model, 8300, 3, sampler) == many);
    for (const std::uint64_t fewer : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{8195}}) {
      const std::vector<double> few = samples(scratch, model, fewer, 2, sampler);
      CHECK(std::equal(few.begin(), few.end(), many.begin()));
    }
  }
  const std::vector<double> chain = samples(scratch, model, 60, 1, "gibbs", 2);
  CHECK(samples(scratch, model, 60, 3, "gibbs", 2) == chain);
}

}  // namespace sampling_test
