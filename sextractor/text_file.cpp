#include "sextractor/text_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "config/values.hpp"
#include "io/files/text_lines.hpp"
#include "stages/core/error.hpp"

namespace srcextract::sextractor {

using config::fail;

namespace {

/// Far more than such files have; it bounds what a wrong one can cost.
constexpr std::int64_t most_bytes = std::int64_t{1} << 20;

void check_line(std::string_view line, const std::string& place) {
  const auto control = [](unsigned char c) {
    return (c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') || c == 127;
  };
  if (std::ranges::any_of(line, control)) fail(place, "a control character; this is no text that SExtractor reads");
}

}  // namespace

void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a directory; name the file in it");
  try {
    TextLines lines(path);
    if (lines.file().stored_size() > most_bytes)
      fail(path, "is larger than 1 MiB; this is no text that SExtractor reads");
    while (lines.next()) {
      const std::string place = path + ":" + std::to_string(lines.number());
      if (lines.bytes_passed() > most_bytes) fail(place, "the file is larger than 1 MiB");
      check_line(lines.line(), place);
      f(lines.line(), place);
    }
  } catch (const Error& error) {
    // The images are not at fault: nothing can be extracted with this configuration.
    throw Error(error.kind() == ErrorKind::input ? ErrorKind::config : error.kind(), error.what());
  }
}

std::string find_file(const std::string& name, const std::string& configuration) {
  namespace fs = std::filesystem;
  std::error_code failure;
  if (fs::is_regular_file(name, failure)) return name;
  const fs::path beside = fs::path(configuration).parent_path() / name;
  return fs::is_regular_file(beside, failure) ? beside.string() : "";
}

}  // namespace srcextract::sextractor
