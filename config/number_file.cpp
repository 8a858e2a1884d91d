#include "config/number_file.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/yaml.hpp"
#include "stages/core/line_words.hpp"

namespace srcextract::config {

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
