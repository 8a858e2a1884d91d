#include "sextractor/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "config/values.hpp"
#include "stages/core/error.hpp"
#include "stages/core/named_pipe.hpp"

namespace srcextract::sextractor {

using config::fail;

namespace {

/// Largest size of a text in bytes: 1 MiB, far more than real files have. A larger file is not a configuration, and
/// reading the file would cost time and memory.
constexpr std::int64_t most_bytes = std::int64_t{1} << 20;

void check_line(std::string_view line, const std::string& place) {
  const auto control = [](unsigned char c) {
    return (c < ' ' && c != '\t' && c != '\r' && c != '\f' && c != '\v') || c == 127;
  };
  if (std::ranges::any_of(line, control)) fail(place, "a control character; this is no text that SExtractor reads");
}

std::string read_unchecked(const std::string& path) {
  const auto most = static_cast<std::size_t>(most_bytes) + 1;
  if (is_named_pipe(path)) {
    if (std::optional<std::string> text = read_named_pipe(path, most)) return *std::move(text);
    fail(path, "is a named pipe into which no process writes; name a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot open the file: " + std::generic_category().message(errno));
  std::string text(most, '\0');
  file.read(text.data(), std::ssize(text));
  if (file.bad()) fail(path, "cannot read the file: " + std::generic_category().message(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// Reads a file or pipe once. At most one byte beyond the limit is read, which shows that the text is too large.
std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a directory; name the file in it");
  const std::string text = read_unchecked(path);
  if (text.starts_with("\x1f\x8b")) fail(path, "is gzipped, which SExtractor does not read; unpack it first");
  if (std::ssize(text) > most_bytes) fail(path, "is larger than 1 MiB; this is no text that SExtractor reads");
  return text;
}

}  // namespace

void refuse_mistake(const std::string& place, const std::string& message) {
  fail(place, message);
}

void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f) {
  const std::string text = read_text(path);
  std::string_view rest = text;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string place = path + ":" + std::to_string(number);
    check_line(rest.substr(0, end), place);
    f(rest.substr(0, end), place);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

std::string find_file(const std::string& name, const std::string& configuration) {
  namespace fs = std::filesystem;
  std::error_code failure;
  // Not only regular files: a shell hands over a pipe for <(...).
  const auto is_there = [&](const fs::path& path) {
    return fs::exists(path, failure) && !fs::is_directory(path, failure);
  };
  if (is_there(name)) return name;
  const fs::path beside = fs::path(configuration).parent_path() / name;
  return is_there(beside) ? beside.string() : "";
}

NamedImage named_image(const std::string& text, const std::string& where) {
  const std::size_t bracket = text.rfind('[');
  std::error_code ignored;
  if (bracket == text.npos || !text.ends_with(']') || std::filesystem::exists(text, ignored)) return {text, ""};
  const std::string number = text.substr(bracket + 1, text.size() - bracket - 2);
  if (bracket == 0 || number.empty() || number.find_first_not_of("0123456789") != number.npos)
    throw Error(ErrorKind::config,
                where + ": between the brackets, after a file, is the number of an extension, as in " +
                    (bracket == 0 ? "m31.fits" : text.substr(0, bracket)) + "[1]; see srcextract sextractor -h");
  return {text.substr(0, bracket), number};
}

}  // namespace srcextract::sextractor
