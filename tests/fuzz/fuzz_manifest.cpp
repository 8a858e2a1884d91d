#include "survey/inputs/manifest.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A manifest; the first byte says by which of the three extensions it goes. No name may lead out of the directory of
/// the outputs.
int fuzz_manifest(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  if (size == 0) return 0;
  constexpr const char* names[] = {"list.txt", "list.csv", "list.ecsv"};
  const std::string path = testing::input_file(testing::as_text(data + 1, size - 1), names[data[0] % 3]);
  testing::read_or_refused({ErrorKind::config, ErrorKind::input}, [&] {
    ConfigVariants configs{Config{}};
    read_manifest(path, configs, [](const ManifestRow& row) {
      testing::require(row.config != nullptr && !row.name.empty(), "a row without a name or a configuration");
      testing::require(!row.name.starts_with('/') && ("/" + row.name + "/").find("/../") == row.name.npos,
                       "a name leads out of the directory of the outputs");
    });
  });
  return 0;
}
