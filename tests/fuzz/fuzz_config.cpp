#include "config/config.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A configuration in YAML. One that is read must come back from what is dumped of it.
int fuzz_config(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string yaml(testing::as_text(data, size));
  testing::read_or_refused({ErrorKind::config}, [&] {
    const std::string dumped = dump_config(parse_config(yaml, "x.yaml"));
    testing::require(dump_config(parse_config(dumped, "x.yaml")) == dumped, "what is dumped is read as something else");
  });
  return 0;
}
