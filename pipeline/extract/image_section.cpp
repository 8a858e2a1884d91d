#include "pipeline/extract/image_section.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace srcextract {

std::optional<ImageSection> section_in(std::string text) {
  std::erase(text, ' ');
  std::string_view rest = text;
  std::array<std::int64_t, 4> ends{};
  constexpr std::string_view before[] = {"[", ":", ",", ":"};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!rest.starts_with(before[i])) return std::nullopt;
    rest.remove_prefix(1);
    const auto [stop, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), ends[i]);
    if (failure != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
  }
  if (rest != "]") return std::nullopt;
  return ImageSection{std::min(ends[0], ends[1]), std::max(ends[0], ends[1]), std::min(ends[2], ends[3]),
                      std::max(ends[2], ends[3])};
}

}  // namespace srcextract
