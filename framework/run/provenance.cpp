#include <harmonium/framework/run/provenance.hpp>

#include <harmonium/framework/core/blas.hpp>
#include <harmonium/framework/core/processor_name.hpp>
#include <harmonium/framework/core/version.hpp>
#include <harmonium/framework/kernels/bit_products.hpp>
#include <harmonium/framework/kernels/integer_tiles.hpp>

namespace harmonium {
inline namespace HARMONIUM_ABI {

std::vector<std::pair<std::string, std::string>> provenance() {
  return {{"harmonium_version", version()},
          {"revision", revision()},
          {"compiler", __VERSION__},
          {"blas", blas_name()},
          {"processor", processor_name()},
          {"instruction_set", std::string(instruction_set())},
          {"products", std::string(name_of(product_way()))}};
}

}  // namespace HARMONIUM_ABI
}  // namespace harmonium
