#include <harmonium/models/terms/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <harmonium/framework/core/error.hpp>
#include <harmonium/framework/core/memory_need.hpp>
#include <harmonium/framework/model/domain.hpp>
#include <harmonium/models/lattice_edges.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

SiteOffset offset_in(const std::string& text) {
  std::string numbers_only = text;
  std::ranges::replace(numbers_only, ',', ' ');
  std::istringstream in(numbers_only);
  SiteOffset numbers;
  for (std::int64_t number = 0; in >> number;) numbers.push_back(number);
  if (!in.eof() || numbers.empty())
    throw ConfigError(
        fmt::format("'offsets' has \"{}\". Give each as whole numbers, one an axis, such as [[0, 1], [1, 0]].", text));
  return numbers;
}

SiteGrid grid_of(const LatticeTerm::Options& options) {
  SiteGrid grid;
  for (const double length : options.shape) grid.shape.push_back(static_cast<Index>(length));
  grid.open.assign(options.shape.size(), false);
  for (const double axis : options.open_axes) grid.open[static_cast<Index>(axis)] = true;
  return grid;
}

/// A unit's columns are its states: edge for edge, equal states of the two are coupled.
std::vector<CoupledColumns> columns_of(const std::vector<Edge>& edges, Index width) {
  std::vector<CoupledColumns> pairs;
  pairs.reserve(edges.size() * width);
  for (const Edge& e : edges)
    for (Index s = 0; s < width; ++s)
      pairs.push_back(
          {static_cast<std::uint32_t>(e.a * width + s), static_cast<std::uint32_t>(e.b * width + s), e.entry});
  return pairs;
}

/// Says how the term that takes such units has the same couplings.
[[noreturn]] void refuse_continuous(const Layer& layer, std::span<const Edge> edges) {
  constexpr std::size_t shown = 3;
  std::string lines;
  for (const Edge& edge : edges.first(std::min(shown, edges.size())))
    lines += fmt::format(", '{} {}'", edge.a + 1, edge.b + 1);
  throw ConfigError(fmt::format(
      "term 'lattice': the units of layer '{0}' are continuous, and whether they have a density is told of the term "
      "'lateral' only. Take that, with masks = [{{ coupling = \"{0}.{0}\", edges = \"FILE\" }}]: the lines of the file "
      "are '{1} {2}'{3}{4}, one for each pair that is coupled.",
      layer.name, layer.size, edges.size(), lines, edges.size() > shown ? " ..." : ""));
}

/// Refuses Gaussian units whose precision matrix and what is made of it have no room.
void check_room(const Layer& layer) {
  const auto n = static_cast<double>(layer.size);
  MemoryNeed need;
  need.add("the precision matrix of the Gaussian units, with its factor and the inverse of that",
           3.0 * sizeof(double) * n * n, "'shape' of the lattice");
  need.check("term 'lattice'");
}

Index num_offsets(const LatticeTerm::Options& options) {
  return options.offsets.empty() ? options.shape.size() : options.offsets.size();
}

/// Refuses a list that does not say for each offset which coupling it has, or leaves out one.
void check_shares(const LatticeTerm::Options& options) {
  const std::vector<double>& share = options.share;
  if (share.empty()) return;
  if (!options.uniform)
    throw ConfigError("'share' says which offsets have one coupling, and each edge has its own. Set uniform = true.");
  if (share.size() != num_offsets(options))
    throw ConfigError(fmt::format("'share' has {} numbers, and there are {} offsets. Give one number an offset.",
                                  share.size(), num_offsets(options)));
  std::vector<double> numbers = share;
  std::ranges::sort(numbers);
  double next = 0.0;
  for (const double number : numbers) {
    if (number != next && (next == 0.0 || number != next - 1.0))
      throw ConfigError(
          fmt::format("'share' is [{}]. Number the couplings 0, 1, 2 and so on, without a gap, such as [0, 0, 1, 1].",
                      fmt::join(share, ", ")));
    if (number == next) next += 1.0;
  }
}

/// How many parameters the edges of all offsets have together.
Index num_shared(const LatticeTerm::Options& options) {
  if (options.share.empty()) return num_offsets(options);
  return static_cast<Index>(std::ranges::max(options.share)) + 1;
}

/// Says how one term has the couplings of two.
[[noreturn]] void refuse_another(const Layer& layer) {
  throw ConfigError(fmt::format(
      "two terms 'lattice' of layer '{}'. Give one of them the 'offsets' of both: with uniform = true each offset has "
      "a coupling of its own, which initializer = {{ type = \"normal\", mean = [1.0, -0.5], std = 0.0 }} sets, here "
      "those of two.",
      layer.name));
}

}  // namespace

void LatticeTerm::Options::bind(OptionBinder& o) {
  o.option("layer", layer, "the layer; must be given");
  o.option("shape", shape, "sites along each axis, such as [16, 16]; must be given");
  o.option("offsets", offsets,
           "which sites each is joined with, such as [[0, 1], [1, 0]], or [1, 2] of a chain, each in one direction; "
           "none: the next along each axis");
  o.option("open_axes", open_axes, "axes, counted from 0, that end; the others go round");
  o.option("uniform", uniform,
           "one coupling for all edges of an offset, in place of one an edge; a list as initializer.mean of 'normal' "
           "sets them");
  o.option("share", share,
           "with uniform = true, which coupling each offset has, such as [0, 0, 1, 1], counted from 0; none: each its "
           "own");
}

void LatticeTerm::Options::validate() const {
  check_given(layer);
  if (shape.empty()) throw ConfigError("'shape' must be given: the sites along each axis, such as [16, 16].");
  constexpr double most = std::numeric_limits<std::uint32_t>::max();
  double sites = 1.0;
  for (const double length : shape) {
    if (!(length >= 1.0) || std::floor(length) != length)
      throw ConfigError(fmt::format("'shape' has {}. Give whole numbers from 1 up.", length));
    sites *= length;
  }
  if (sites * static_cast<double>(std::max<Index>(1, num_offsets(*this))) > most)
    throw ConfigError(
        fmt::format("a lattice of {} sites has more edges than can be counted. Take a smaller one.", sites));
  for (const double axis : open_axes)
    if (!(axis >= 0.0) || std::floor(axis) != axis || axis >= static_cast<double>(shape.size()))
      throw ConfigError(fmt::format("'open_axes' has {}, and the axes are 0 to {}.", axis, shape.size() - 1));
  for (const std::string& text : offsets) offset_in(text);
  check_shares(*this);
}

LatticeTerm::LatticeTerm(Options options) : options_(std::move(options)) { options_.validate(); }

void LatticeTerm::declare(const Layout& layout, ParameterLayout& parameters) {
  layer_ = layout.find(options_.layer);
  const Layer& own = layout[layer_];
  const SiteGrid grid = grid_of(options_);
  if (grid.num_sites() != own.size)
    throw ConfigError(fmt::format("term 'lattice': 'shape' is {}, {} sites, and layer '{}' has {} units.",
                                  fmt::join(options_.shape, " x "), grid.num_sites(), own.name, own.size));
  if (is_normal(*own.unit)) check_room(own);
  std::vector<SiteOffset> offsets;
  std::ranges::transform(options_.offsets, std::back_inserter(offsets), offset_in);
  std::vector<Edge> edges;
  try {
    edges = edges_of(grid, offsets, options_.uniform);
    if (!options_.share.empty())
      for (Edge& e : edges) e.entry = static_cast<std::uint32_t>(options_.share[e.entry]);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("term 'lattice': {}", error.what()));
  }
  if (own.unit->num_states() == 0 && !is_normal(*own.unit)) refuse_continuous(own, edges);
  std::string name = "lattice." + own.name;
  if (std::ranges::find(parameters.blocks(), name, &ParameterBlock::name) != parameters.blocks().end())
    refuse_another(own);
  width_ = own.unit->width();
  couplings_.emplace(columns_of(edges, width_), own.columns(), width_);
  tensor_ = add_tensor(parameters, {.name = std::move(name),
                                    .rows = options_.uniform ? num_shared(options_) : edges.size(),
                                    .role = ParameterRole::edges,
                                    .layers = {layer_},
                                    .edges = std::make_shared<const std::vector<Edge>>(std::move(edges))});
}

// A coupling has one number for all states of its units: the product of their columns is 1 where both are in the same.
std::string LatticeTerm::formula() const {
  if (width_ > 1) return fmt::format("- sum_<ij> w_ij delta({0}_i, {0}_j)", options_.layer);
  return fmt::format("- sum_<ij> w_ij {0}_i {0}_j", options_.layer);
}

bool LatticeTerm::add_neighbors(LayerId layer, std::vector<std::vector<std::uint32_t>>& neighbors) const {
  if (layer == layer_) couplings_->add_neighbors(neighbors);
  return true;
}

void LatticeTerm::add_fields(LayerId layer, Index begin, Index end, ConstChainView x, const Real*, Real keep,
                             MatrixRef out) const {
  const ConstMatrixRef own = x[layer];
  if (end - begin == own.cols) return couplings_->add_fields(own, keep, out);
  for (Index r = 0; r < out.rows; ++r)
    for (Index c = begin; c < end; ++c) {
      Real& field = out(r, c - begin);
      field = (keep == 0 ? Real{0} : keep * field) + couplings_->field(own.row(r), c);
    }
}

void LatticeTerm::add_exact_fields(LayerId layer, const ExactRows& x, const Real*, MatrixView<double> out) const {
  couplings_->add_fields(x[layer], 1.0, out);
}

void LatticeTerm::add_energy(double factor, const ExactRows& x, const Real*, std::span<double> out) const {
  couplings_->add_quadratic_forms(-factor, x[layer_], out);
}

void LatticeTerm::add_gradient(const Moments& q, std::span<const double> weights, const Real*, std::span<Real> gradient,
                               const Executor& executor) const {
  couplings_->add_gradient(q.mean[static_cast<Index>(layer_)], weights, gradient.subspan(tensor_.offset, tensor_.rows),
                           executor);
}

std::optional<std::string> LatticeTerm::refresh(const Real* theta) {
  couplings_->refresh(theta + tensor_.offset);
  return {};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
