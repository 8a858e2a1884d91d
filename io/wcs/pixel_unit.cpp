#include "io/wcs/pixel_unit.hpp"

#include <algorithm>
#include <string_view>

#include "io/wcs/unit.hpp"

namespace srcextract {
namespace {

constexpr const char* default_unit = "count";

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

/// The text of BUNIT, empty if there is none.
std::string bunit(const std::string& header) {
  for (std::size_t i = 0; i + 80 <= header.size(); i += 80) {
    const std::string_view card = std::string_view(header).substr(i, 80);
    if (!card.starts_with("BUNIT   =")) continue;
    const std::size_t open = card.find('\'');
    if (open == card.npos) return "";
    const std::size_t close = card.find('\'', open + 1);
    return close == card.npos ? "" : trimmed(card.substr(open + 1, close - open - 1));
  }
  return "";
}

}  // namespace

std::string sum_unit(const std::string& pixel_unit) {
  if (!is_per_area(pixel_unit)) return pixel_unit;
  for (const std::string_view per_pixel : {"/pixel", "/pix"}) {
    if (pixel_unit.ends_with(per_pixel)) return pixel_unit.substr(0, pixel_unit.size() - per_pixel.size());
  }
  // A factor as 10**-17 has to stay in front.
  const std::size_t factor = pixel_unit.starts_with("10") ? pixel_unit.find_first_of(" .", 2) : std::string::npos;
  const std::size_t begin = factor == std::string::npos ? 0 : factor + 1;
  std::string sum = pixel_unit;
  sum.insert(begin, "pixel.");
  return fits_unit(sum) == sum ? sum : "";
}

std::string pixel_unit(const std::string& header) {
  const std::string text = bunit(header);
  if (text.empty()) return default_unit;
  const std::string unit = fits_unit(text);
  return unit.empty() ? default_unit : unit;
}

}  // namespace srcextract
