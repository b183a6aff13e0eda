#pragma once

#include <string>
#include <string_view>

#include <harmonium/framework/config/value.hpp>
#include <harmonium/framework/files/model_header.hpp>
#include <harmonium/framework/model/layout.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

/// The letters of the sequences that the data of a configuration are, in the order of their states; empty of other data.
std::string sequence_letters(const Value& config);
/// Those of the states of a layer's units, of a model that was trained on sequences; empty where the units are no sites of these.
std::string letters_of_layer(const ModelHeader& header, const Layer& layer);

/// What export says beside the parameters of layers whose states are letters: a line a state; empty where there are none.
inline constexpr const char* letters_file = "letters.csv";
inline constexpr std::string_view letters_head = "layer,state,letter";
std::string letters_text(const ModelHeader& header, const Layout& layout);

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
