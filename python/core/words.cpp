#include "python/core/words.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace srcextract::python {
namespace {

/// Phrases of messages with command line options, and their equivalents in Python.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words{{
    {"--backend cpu", "backend='cpu'"},
    {"--backend cuda", "backend='cuda'"},
    {"with --device", "with device="},
    {"--threads", "threads="},
    {" (--memory)", ""},
    {"--partial", "partial=True"},
    {"--json has all", "the report has all"},
}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Removes the line and column numbers after "the configuration", which refer to YAML that was generated from a dict.
void forget_lines(std::string& text) {
  constexpr std::string_view of = "the configuration";
  const auto skip = [&](std::size_t at) {
    const std::size_t end = at < text.size() && text[at] == ':' ? text.find_first_not_of("0123456789", at + 1) : at;
    return end == std::string::npos ? text.size() : (end == at + 1 ? at : end);
  };
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at)) {
    at += of.size();
    text.erase(at, skip(skip(at)) - at);
  }
}

}  // namespace

std::string in_words_of_python(std::string message) {
  for (const auto& [option, argument] : words) replace_all(message, option, argument);
  forget_lines(message);
  return message;
}

}  // namespace srcextract::python
