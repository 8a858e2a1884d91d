#pragma once

#include <string>

#include "config/config.hpp"
#include "sextractor/text_file.hpp"
#include "sextractor/write_yaml.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

/// A .nnw of the right size, of which nothing is learnt.
inline std::string network_text() {
  std::string text = "NNW\n# a network\n3 10 10 1\n";
  for (int row = 0; row < 2; ++row) text += "0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5\n";
  for (int node = 0; node < 11; ++node) text += "0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5\n";
  return text + "0\n1\n";
}

/// A converted configuration: its text, and what that means.
struct Converted {
  sextractor::Translation translation;
  std::string yaml;
  Config config;
};

/// What becomes of a configuration and a list of columns, which may be empty: SExtractor's default.param is not there
/// then.
inline Converted convert(const TemporaryFolder& folder, const std::string& sex, const std::string& param = "") {
  const std::string path = folder.write("x.sex", sex);
  const std::string columns = param.empty() ? "" : folder.write("x.param", param);
  const sextractor::Request request = sextractor::read_request(path, columns);
  Converted converted{sextractor::translate(request), {}, {}};
  converted.yaml = sextractor::as_yaml(request, converted.translation);
  converted.config = parse_config(converted.yaml, "converted.yaml");
  return converted;
}

inline Converted convert(const std::string& sex, const std::string& param = "") {
  const TemporaryFolder folder;
  return convert(folder, sex, param);
}

/// The error, less the folder that files are in.
inline std::string convert_error(const TemporaryFolder& folder, const std::string& sex, const std::string& param = "") {
  std::string message = config_error([&] { convert(folder, sex, param); });
  const std::string place = folder.string() + "/";
  for (std::size_t at; (at = message.find(place)) != message.npos;) message.erase(at, place.size());
  return message;
}

inline std::string convert_error(const std::string& sex, const std::string& param = "") {
  const TemporaryFolder folder;
  return convert_error(folder, sex, param);
}

/// The reasons for which something is lost, a line each: "what: reason".
inline std::string lost(const Converted& converted) {
  std::string text;
  for (const sextractor::Unmet& unmet : converted.translation.unmet)
    if (unmet.counts) text += unmet.what + ": " + unmet.reason + "\n";
  return text;
}

}  // namespace srcextract::testing
