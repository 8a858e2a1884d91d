#include "stages/catalogue/vignets.hpp"

#include <charconv>
#include <system_error>

namespace srcextract {
namespace {

/// Reads a number from 1 to most_vignet_pixels and the character `after` at the start of `text`, and removes both and
/// the blanks after them from `text`. Returns nothing if `text` starts differently.
std::optional<int> take_side(std::string_view& text, char after) {
  int side = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  const auto digits = static_cast<std::size_t>(stop - text.data());
  if (error != std::errc() || side < 1 || side > most_vignet_pixels) return std::nullopt;
  if (digits == text.size() || text[digits] != after) return std::nullopt;
  text.remove_prefix(digits + 1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return side;
}

}  // namespace

std::optional<VignetSize> parse_vignet(std::string_view word) {
  constexpr std::string_view name = "VIGNET(";
  if (!word.starts_with(name)) return std::nullopt;
  word.remove_prefix(name.size());
  const std::optional<int> width = take_side(word, ',');
  const std::optional<int> height = width ? take_side(word, ')') : std::nullopt;
  if (!height || !word.empty()) return std::nullopt;
  return VignetSize{*width, *height};
}

VignetSize vignet_size(const std::vector<std::string>& columns) {
  for (const std::string& word : columns)
    if (const std::optional<VignetSize> size = parse_vignet(word)) return *size;
  return {};
}

}  // namespace srcextract
