#include <harmonium/program/work/proposal.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <harmonium/framework/files/fasta_alphabet.hpp>
#include <harmonium/program/work/proposed_steps.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {
namespace {

constexpr Index most_whitened = 2048;   // columns: their covariance has the square of it
constexpr Index most_weighed = 20'000;  // sequences: each is compared with each

std::int64_t whole(Index value) { return static_cast<std::int64_t>(value); }

std::string text_of(const Value* value) {
  return value && value->is_string() ? std::get<std::string>(value->data) : std::string();
}

/// For validation a tenth of many rows and a fifth of few; of fewer than 40 a figure says little, and training needs all.
void set_rows_aside(Index rows, Value& source) {
  constexpr Index fewest = 200, some = 100, most = 10'000;
  if (rows < fewest || source.find("validation") || source.find("validation_path")) return;
  source.set("validation", make_value(whole(std::clamp(rows / 10, std::min(rows / 5, some), most))));
}

bool whitened_image(const Dataset& data, const Findings& found) {
  return found.values == Values::real && !data.transform() && found.image && !data.has_missing() &&
         data.cols() <= most_whitened;
}

/// The table [data] of the proposal: `source`, with what is to be made of the values.
Value data_table(const Dataset& data, const Findings& found, Value source) {
  if (found.values == Values::gray) {
    source.set("binarize", make_value("threshold"));
    // Of levels from 0 to 16, say, half of 255 would make no difference.
    if (found.max > 1 && !(data.is_bytes() && found.max == 255)) {
      Value range;
      range.data = Value::List{make_value(0.0), make_value(found.max)};
      source.set("range", std::move(range));
    }
  }
  if (found.values == Values::real && !data.transform()) {
    if (whitened_image(data, found)) {
      source.set("whiten", make_value("zca"));
      source.set("whiten_epsilon", make_value(0.02));
    } else {
      source.set("standardize", make_value(true));
    }
  }
  const std::string family = fasta_family(text_of(source.find("alphabet")));
  if ((family == "protein" || family == "rna") && !data.weighted() && data.rows() <= most_weighed)
    source.set("reweight", make_value(0.2));
  set_rows_aside(data.rows(), source);
  return source;
}

Value model_table(const Dataset& data, const Findings& found) {
  const Index rows = data.rows(), units = data.cols() / found.states;
  // A site of many states says more than a bit does.
  const Index usual = found.values == Values::states ? 2 * units : units;
  const Index hidden = std::clamp<Index>(std::min(usual, rows / 20), std::min<Index>(2 * units, 32), 500);
  Value model = make_table({{"type", make_value("rbm")},
                            {"num_visible", make_value(whole(units))},
                            {"num_hidden", make_value(whole(hidden))}});
  if (data.num_classes() > 0) model.set("num_labels", make_value(whole(data.num_classes())));
  if (found.values == Values::spins) model.set("visible_units", make_value("spin"));
  if (found.values == Values::states)
    model.set("visible_units",
              make_table({{"type", make_value("categorical")}, {"num_states", make_value(whole(found.states))}}));
  if (found.values == Values::real) {
    model.set("visible_units", make_value("gaussian"));
    model.set("learn_precision", make_value(true));
  }
  return model;
}

}  // namespace

bool lacks_some(const Dataset& data) {
  return data.has_missing() || (data.num_classes() > 0 && data.with_label_columns(0).has_missing());
}

namespace {

/// Whether the proposal is of that kind; not where the request has an estimator of its own.
bool exact_serves(const Dataset& data, const Findings& found, const Value& asked) {
  if (found.values == Values::real || lacks_some(data) || asked.find("estimator")) return false;
  const Index units_of_row = data.cols() / found.states;
  const auto units = static_cast<double>(units_of_row);
  const auto states = static_cast<double>(std::max<Index>(found.states, 2));
  return few_states(units * std::log2(states) + std::log2(static_cast<double>(std::max<Index>(data.num_classes(), 1))));
}

/// Steps of spins are those of bits at a fifth of the rate: a coupling is half as long, and its gradient twice.
double learning_rate(const Dataset& data, const Findings& found, bool exact) {
  if (whitened_image(data, found)) return 0.05;
  if (found.values == Values::real) return rate_of_numbers(data.cols());
  const double of_bits = exact ? rate_of_exact : rate_of_bits(data.cols(), data.rows());
  return found.values == Values::spins ? of_bits / 5 : of_bits;
}

Value optimizer_table(const Dataset& data, const Findings& found, bool exact) {
  Value schedule = make_table({{"type", make_value("linear")}});
  Value table =
      make_table({{"type", make_value("sgd")}, {"learning_rate", make_value(learning_rate(data, found, exact))}});
  const bool images = whitened_image(data, found);
  if (images) {
    table.set("momentum", make_value(0.9));
    schedule.set("final", make_value(0.1));
  }
  table.set("schedule", std::move(schedule));
  if (found.values == Values::real) {
    Value factors;
    factors.data = Value::List{
        make_table({{"parameter", make_value("log_precision.visible")}, {"factor", make_value(images ? 0.05 : 0.1)}})};
    table.set("factors", std::move(factors));
  }
  return table;
}

/// Filters of images come from hidden units that are rarely active and few couplings that are large, and from chains that
/// begin at the data (docs/units.md).
void add_estimator(Value& config, const Dataset& data, const Findings& found, bool exact) {
  if (!whitened_image(data, found)) {
    config.set("estimator", chains_or_exact(exact));
    return;
  }
  config.find("initializer")->set("hidden_bias", make_value(-3.0));
  config.set("estimator", make_table({{"type", make_value("cd")}, {"gibbs_steps", make_value(std::int64_t{1})}}));
  Value regularizers;
  regularizers.data = Value::List{make_table({{"type", make_value("l1")}, {"strength", make_value(0.0007)}})};
  config.set("regularizers", std::move(regularizers));
}

/// Of few rows the size of a batch is left open: it is then that of all rows that a split leaves for training, however these are
/// split later.
Value training_table(Index rows) {
  constexpr Index usual = 100, many = 10 * usual;
  const Index batch = std::min(usual, rows);
  const Index batches = (rows + batch - 1) / batch;
  const Index epochs = std::clamp<Index>((10'000 + batches - 1) / batches, 10, 10'000);
  Value table = make_table();
  if (rows >= many) table.set("batch_size", make_value(whole(batch)));
  table.set("num_epochs", make_value(whole(epochs)));
  table.set("checkpoint_every", make_value(whole(std::max<Index>(epochs / 10, 1))));
  return table;
}

/// Rows that are not trained on: as asked for, else as proposed.
Index rows_set_aside(Index rows, const Value& proposed, const Value& asked) {
  double all = 0;
  for (const char* part : {"validation", "test"}) {
    const Value* given = asked.find(part);
    if (!given) given = asked.find(std::string(part) + "_path") ? nullptr : proposed.find(part);
    if (!given) continue;
    const double number = given->number().value_or(0);
    all += number < 1 ? number * static_cast<double>(rows) : number;
  }
  return std::min(static_cast<Index>(std::max(all, 0.0)), rows - 1);
}

}  // namespace

std::string Findings::summary() const {
  switch (values) {
    case Values::bits: return made_bits ? "values, of which data.binarize makes bits" : "bits";
    case Values::spins: return "spins";
    case Values::states: return fmt::format("sites of {} states", states);
    case Values::gray: return "gray values";
    case Values::real: break;
  }
  return "real values";
}

std::string Findings::remark() const {
  if (told || kept == 0 || kept == 1) return "";
  const double percent = std::floor(100 * kept);
  if (values == Values::gray)
    return fmt::format("Bits made of them by a threshold keep {:g} % of their variance.\n", percent);
  if (values == Values::real)
    return fmt::format(
        "Bits made of them by a threshold would keep {:g} % of their variance: too little, so that they are taken as "
        "numbers.\n",
        percent);
  return "";
}

Value proposal(const Dataset& data, const Findings& found, Value source, const Value& asked) {
  source = data_table(data, found, std::move(source));
  const Index set_aside = rows_set_aside(data.rows(), source, *asked.find("data"));
  Value config = make_table({{"seed", make_value(std::int64_t{1})}});
  config.set("data", std::move(source));
  config.set("model", model_table(data, found));
  // From smaller couplings to Gaussian units some thousands of updates lead nowhere.
  if (found.values == Values::real) config.set("initializer", normal(0.1));
  // From smaller ones what pairs of columns do not tell is found late: exclusive or of two bits never, in as many updates.
  const bool exact = exact_serves(data, found, asked);
  if (exact) config.set("initializer", normal(found.values == Values::spins ? std_of_exact / 2 : std_of_exact));
  add_estimator(config, data, found, exact);
  config.set("optimizer", optimizer_table(data, found, exact));
  config.set("training", training_table(data.rows() - set_aside));
  return config;
}

Value table_proposal(Value source, Value layers, Index rows, Index width, bool lacks_numbers) {
  const Index usual = std::clamp<Index>(std::min(width, rows / 20), std::min<Index>(2 * width, 32), 500);
  const Index hidden = lacks_numbers ? std::min(usual, most_hidden_summed) : usual;
  std::vector<std::string> real;
  for (const Value& layer : std::get<Value::List>(layers.data))
    if (*layer.find("units") == make_value("gaussian")) real.push_back(text_of(layer.find("name")));
  set_rows_aside(rows, source);
  Value config = make_table({{"seed", make_value(std::int64_t{1})}});
  const Index set_aside = rows_set_aside(rows, source, make_table());
  const bool holes = !text_of(source.find("missing")).empty() && text_of(source.find("missing")) != "refuse";
  config.set("data", std::move(source));
  config.set("model", make_table({{"type", make_value("mixed")},
                                  {"num_hidden", make_value(whole(hidden))},
                                  {"observed_layers", std::move(layers)}}));
  const bool exact = !holes && few_states(log2_states_of(*config.find("model")->find("observed_layers")));
  config.set("initializer", normal(exact ? std_of_exact : width < 30 || !real.empty() ? 0.1 : 0.01));
  config.set("estimator", chains_or_exact(exact));
  const double rate = exact ? rate_of_exact : real.empty() ? rate_of_bits(width, rows) : rate_of_numbers(width);
  Value optimizer = make_table({{"type", make_value("sgd")},
                                {"learning_rate", make_value(rate)},
                                {"schedule", make_table({{"type", make_value("linear")}})}});
  Value factors;
  auto& list = factors.data.emplace<Value::List>();
  for (const std::string& layer : real)
    list.push_back(make_table({{"parameter", make_value("log_precision." + layer)}, {"factor", make_value(0.1)}}));
  if (!list.empty()) optimizer.set("factors", std::move(factors));
  config.set("optimizer", std::move(optimizer));
  config.set("training", training_table(rows - set_aside));
  return config;
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
