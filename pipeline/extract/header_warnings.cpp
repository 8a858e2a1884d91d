#include "pipeline/extract/header_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/wcs/celestial_keywords.hpp"
#include "pipeline/extract/image_section.hpp"

namespace srcextract {
namespace {

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

/// Warns of an EQUINOX, or else an EPOCH, that is no year. It is then left out of the WCS.
void warn_of_equinox(const ImageInput& input, std::vector<std::string>& warnings) {
  const std::vector<std::string> keywords = {"EQUINOX", "EPOCH", "RADESYS", "RADECSYS", "CTYPE1"};
  const std::vector<HeaderValue> values = header_values(input.header(), input.frame.image().primary_header(), keywords);
  const auto text_of = [&](std::string_view keyword) {
    const auto* const text = value_in(values, keyword);
    return text != nullptr && std::holds_alternative<std::string>(*text) ? std::get<std::string>(*text) : "";
  };
  const std::string frame = text_of("RADESYS").empty() ? text_of("RADECSYS") : text_of("RADESYS");
  if (text_of("CTYPE1").empty() || frame == "ICRS") return;
  for (const std::string keyword : {"EQUINOX", "EPOCH"}) {
    const KeywordValue* const value = value_in(values, keyword);
    if (value == nullptr) continue;
    if (const auto year = as_real(*value); year && !is_year(*year))
      warnings.push_back(
          fmt::format("{} = {:g} of the header is no year and is left out, so positions are {}; correct "
                      "the card, or delete it",
                      keyword, *year, frame.empty() ? "ICRS" : frame + " of its usual equinox"));
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
  warn_of_equinox(input, warnings);
  warn_of_overscan(input, extraction.masked.total(), warnings);
}

}  // namespace srcextract
