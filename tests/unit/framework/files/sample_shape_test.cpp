#include <harmonium/framework/files/sample_shape.hpp>

#include <doctest/doctest.h>

namespace sample_shape_test {

using namespace harmonium;
using Shape = std::vector<Index>;

TEST_CASE("a shape and its text are one another's reading") {
  for (const Shape& shape : {Shape{28, 28}, Shape{784}, Shape{3, 32, 32}, Shape{1, 1}, Shape{18446744073709551615u}})
    CHECK(parse_sample_shape(sample_shape_text(shape)) == shape);
  CHECK(sample_shape_text(Shape{28, 28}) == "28x28");
  CHECK(num_values(Shape{2, 3, 4}) == 24);
  CHECK(num_values({}) == 1);
}

TEST_CASE("a text that is no shape is none") {
  for (const char* text : {"", "x", "28x", "x28", "28x0", "0", "-1x3", "28 x 28", "28X28", "2.5", "28x28 ", "a",
                           "28,28", "4294967296x4294967296", "18446744073709551616", "1x1x1x1x1x1x1x1x1"})
    CHECK_MESSAGE(!parse_sample_shape(text), text);
}

}  // namespace sample_shape_test
