#pragma once

#include <functional>
#include <string>
#include <vector>

#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/program/work/sampling.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// What the classes are called in the data that a configuration names; empty where they are numbers.
std::vector<std::string> class_words(const Value& config);
/// Whether a model was trained on a table of columns of several kinds (data.type = "table").
bool is_table(const ModelHeader& header);
/// Writes a line of names, where there are any, and then a line of fields for each sample, with its energy behind them where
/// energies were asked for.
void write_csv_samples(const SamplingPlan& plan, const Sampling& sampling, std::vector<std::string> names,
                       const std::function<std::vector<std::string>(Index)>& fields_of);
/// Writes the samples as CSV as that table had them: its columns, with words and levels, that of the classes behind them, and
/// energies last where they were asked for. Throws DataError where the columns are not those of the model.
void write_table_samples(const SamplingPlan& plan, const Sampling& sampling);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
