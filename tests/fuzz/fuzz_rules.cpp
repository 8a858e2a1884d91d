#include "config/rules.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// The rules of a comparison in YAML. Those that are read must come back from what is dumped of them.
int fuzz_rules(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string yaml(testing::as_text(data, size));
  testing::read_or_refused({ErrorKind::config}, [&] {
    const std::string dumped = dump_rules(parse_rules(yaml, "x.yaml"));
    testing::require(dump_rules(parse_rules(dumped, "x.yaml")) == dumped, "what is dumped is read as something else");
  });
  return 0;
}
