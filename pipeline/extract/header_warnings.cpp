#include "pipeline/extract/header_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace srcextract {
namespace {

/// A section of an image as IRAF writes it, [x1:x2,y1:y2]: first and last column and row, from 1.
struct ImageSection {
  std::int64_t left = 0, right = 0, bottom = 0, top = 0;

  bool inside(const Shape& shape) const {
    return left >= 1 && bottom >= 1 && right <= shape.width && top <= shape.height;
  }
  std::int64_t count() const { return (right - left + 1) * (top - bottom + 1); }
};

/// Reads a section; nothing if the text is none. A section with a step, as after binning, counts as none.
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

/// Warns of pixels that are no sky by TRIMSEC, DATASEC or BIASSEC. Overscan is never half of an image: a section that
/// is smaller, or beyond the image, was written for the image before it was trimmed or resampled. The first keyword
/// with a section decides: after trimming, BIASSEC tells of what there was before. `masked`: number of masked pixels.
void warn_of_overscan(const ImageInput& input, std::int64_t masked, std::vector<std::string>& warnings) {
  const Shape& shape = input.exposure.shape();
  const std::vector<std::string> keywords = {"TRIMSEC", "DATASEC", "BIASSEC"};
  const std::vector<HeaderValue> values = header_values(input.header(), input.frame.image().primary_header(), keywords);
  for (const std::string& keyword : keywords) {
    const KeywordValue* const value = value_in(values, keyword);
    const auto* const text = value == nullptr ? nullptr : std::get_if<std::string>(value);
    const std::optional<ImageSection> section = text == nullptr ? std::nullopt : section_in(*text);
    if (!section) continue;
    if (!section->inside(shape)) return;
    const bool of_sky = keyword != "BIASSEC";
    const std::int64_t left_out = of_sky ? shape.count() - section->count() : section->count();
    if (left_out <= masked || 2 * left_out > shape.count()) return;
    const std::string to_trim =
        of_sky ? fmt::format("data[{}:{}, {}:{}]", section->bottom - 1, section->top, section->left - 1, section->right)
               : "the rest";
    warnings.push_back(fmt::format(
        "{} = '{}', and the image is {} x {}: {} pixels of overscan are still in it. They have another level and noise "
        "than the sky, which sky, threshold and sources at their edge suffer from; trim the image first (in Python "
        "{}), mask them (--set mask.file=FILE), or delete the card if they are sky",
        keyword, *text, shape.width, shape.height, left_out, to_trim));
    return;
  }
}

}  // namespace

void warn_of_header(const ImageInput& input, const Extraction& extraction, std::vector<std::string>& warnings) {
  const auto add = [&](const std::string& whose, const OpenFrame& frame) {
    if (!frame.sip_warning().empty()) warnings.push_back(whose + frame.sip_warning());
  };
  add("", input.frame);
  if (input.reference != nullptr) add(input.reference->path + ": ", input.reference->frame);
  if (input.detection != nullptr) add(input.detection->task.path + ": ", input.detection->frame);
  warn_of_overscan(input, extraction.masked.total(), warnings);
}

}  // namespace srcextract
