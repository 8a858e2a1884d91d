#include "config/number_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "config/values.hpp"
#include "stages/core/line_words.hpp"
#include "stages/core/named_pipe.hpp"

namespace srcextract::config {

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a directory; name the YAML file in it");
  if (is_named_pipe(path)) {
    if (std::optional<std::string> text = read_named_pipe(path, most_bytes + 1)) return *std::move(text);
    fail(path, "is a named pipe into which no process writes; name a file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) fail(path, std::string("cannot be read: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::vector<double> read_numbers(const std::string& path, ReadNumbers read) {
  const std::string text = read_file(path);
  if (text.size() > most_bytes) fail(path, "is larger than 1 MiB; this is no file of numbers");
  std::vector<NumberLine> lines;
  std::string_view rest = text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::vector<std::string_view> words = words_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!words.empty() && !words.front().starts_with('#')) lines.push_back({number, std::move(words)});
  }
  FileNumbers numbers = read(lines);
  if (!numbers.problem.empty()) fail(path + ":" + std::to_string(numbers.line), numbers.problem);
  return std::move(numbers.values);
}

}  // namespace srcextract::config
