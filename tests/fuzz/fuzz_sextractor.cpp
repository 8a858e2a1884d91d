#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "sextractor/write_yaml.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A configuration of SExtractor's, and after lines %% its list of columns, a kernel and a network, which it names or
/// not: what they become is read back to what was meant, with the same bytes on a second time.
int fuzz_sextractor(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  std::string_view rest = testing::as_text(data, size);
  constexpr std::string_view between = "\n%%\n";
  std::array<std::string, 4> paths;
  const std::array<const char*, 4> names = {"x.sex", "x.param", "x.conv", "x.nnw"};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::size_t end = rest.find(between);
    paths[i] = testing::input_file(rest.substr(0, end), names[i]);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + between.size());
  }
  const auto converted = [&](const std::string& columns) -> std::optional<std::string> {
    std::string yaml;
    try {
      const sextractor::Request request = sextractor::read_request(paths[0], columns);
      yaml = sextractor::as_yaml(request, sextractor::translate(request));
    } catch (const Error& error) {
      // A mistake is answered with the file that it is in.
      const std::string message = error.what();
      testing::require(error.kind() == ErrorKind::config, "an error of another kind");
      testing::require(message.starts_with(paths[0]) || message.starts_with(paths[1]), "an error without a place");
      return std::nullopt;
    }
    const Config config = parse_config(yaml, "config.yaml");
    testing::require(dump_config(parse_config(dump_config(config), "dump.yaml")) == dump_config(config),
                     "another configuration the second time");
    return yaml;
  };
  testing::require(converted(paths[1]) == converted(paths[1]), "another answer the second time");
  converted("");
  return 0;
}
