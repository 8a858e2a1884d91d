#include "io/image/kernel_file.hpp"
#include "stages/math/kernel_values.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A kernel in SExtractor's format or in FITS.
int fuzz_kernel(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "kernel");
  testing::read_or_refused({ErrorKind::config}, [&] { kernel_problem(read_kernel_file(path).values); });
  return 0;
}
