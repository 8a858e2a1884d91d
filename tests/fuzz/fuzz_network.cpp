#include "config/number_file.hpp"
#include "stages/settings/network_numbers.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// SExtractor's file of a neural network.
int fuzz_network(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "x.nnw");
  testing::read_or_refused({ErrorKind::config}, [&] { config::read_numbers(path, network_numbers); });
  return 0;
}
