#include <harmonium/framework/data/row_shape.hpp>

#include <fmt/format.h>

namespace harmonium {
inline namespace v1 {

std::string remedy_of_shape(const Dataset& data, Index columns, const std::string& otherwise) {
  const Index numbers = data.rows();
  if (columns > 1 && data.sample_shape().empty() && numbers % columns == 0)
    return fmt::format("It is an array of shape ({},), one number a row: reshape it to ({}, {}), one sample a row.",
                       numbers, numbers / columns, columns);
  if (data.sample_shape().size() == 1 && data.rows() == columns)
    return fmt::format("It is of shape ({}, {}), and a row is a sample: transpose it to ({}, {}).", data.rows(),
                       data.cols(), data.cols(), data.rows());
  return otherwise;
}

}  // namespace v1
}  // namespace harmonium
