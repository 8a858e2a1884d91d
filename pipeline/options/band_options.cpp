#include "pipeline/options/band_options.hpp"

#include <algorithm>
#include <utility>

#include "stages/catalogue/bands.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/files_beside.hpp"

namespace srcextract {
namespace {

[[noreturn]] void fail(const std::string& option, const std::string& problem) {
  throw Error(ErrorKind::config, option + ": " + problem + "; see srcextract --help");
}

/// The texts before and after the first `mark`. Without a `mark`, the whole text and an empty text.
std::pair<std::string, std::string> divided(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  return {text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1)};
}

BandOption read_band(const std::string& text) {
  auto [name, path] = divided(text, '=');
  if (text.find('=') == std::string::npos) fail("--band " + text, "a band has a name; write NAME=FILE, as in g=g.fits");
  if (path.empty()) fail("--band " + text, "names no file; is a variable of your script not set?");
  return {std::move(name), std::move(path)};
}

void add_setting(const std::string& text, std::vector<BandOption>& bands) {
  const std::string option = "--band-set " + text;
  auto [name, setting] = divided(text, ':');
  if (setting.empty() || name.find('=') != std::string::npos)
    fail(option, "has to say of which band; write NAME:KEY=VALUE, as in g:measurement.gain=2");
  const auto band = std::ranges::find(bands, name, &BandOption::name);
  if (band == bands.end()) {
    std::string names;
    for (const BandOption& one : bands) names += (names.empty() ? "" : ", ") + one.name;
    fail(option, "there is no band '" + name + "'; --band names " + names);
  }
  if (const std::string problem = problem_of_band_setting(setting); !problem.empty()) fail(option, problem);
  band->settings.push_back(std::move(setting));
}

}  // namespace

std::vector<BandOption> read_bands(const std::vector<std::string>& bands, const std::vector<std::string>& settings) {
  std::vector<BandOption> read;
  std::vector<std::string> names;
  for (const std::string& text : bands) names.push_back(read.emplace_back(read_band(text)).name);
  if (const std::string problem = problem_of_bands(names); !problem.empty()) fail("--band", problem);
  for (const std::string& text : settings) add_setting(text, read);
  return read;
}

}  // namespace srcextract
