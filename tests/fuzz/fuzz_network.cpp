#include "io/image/network_file.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// SExtractor's file of a neural network.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "x.nnw");
  testing::read_or_refused({ErrorKind::config}, [&] { read_network_file(path); });
  return 0;
}
