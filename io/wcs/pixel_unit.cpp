#include "io/wcs/pixel_unit.hpp"

#include <string_view>

#include "io/fits/header.hpp"
#include "io/wcs/unit.hpp"

namespace srcextract {
namespace {

constexpr const char* default_unit = "count";

}  // namespace

std::string sum_unit(const std::string& pixel_unit) {
  if (!is_per_area(pixel_unit)) return pixel_unit;
  for (const std::string_view per_pixel : {"/pixel", "/pix"}) {
    if (pixel_unit.ends_with(per_pixel)) return pixel_unit.substr(0, pixel_unit.size() - per_pixel.size());
  }
  // Inserts the factor after a number such as 10**-17, which must stay at the beginning of the unit.
  const std::size_t factor = pixel_unit.starts_with("10") ? pixel_unit.find_first_of(" .", 2) : std::string::npos;
  const std::size_t begin = factor == std::string::npos ? 0 : factor + 1;
  std::string sum = pixel_unit;
  sum.insert(begin, "pixel.");
  return fits_unit(sum) == sum ? sum : "";
}

std::string pixel_unit(const std::string& header) {
  const Header cards(header);
  const CardValue bunit = cards.find("BUNIT");
  if (!bunit.value && bunit.problem.empty()) return default_unit;
  // BUNIT may have non-ASCII bytes, though FITS forbids these: the micro sign.
  const auto* const text = bunit.value ? std::get_if<std::string>(&*bunit.value) : nullptr;
  if (!text) return "";
  return text->find_first_not_of(' ') == text->npos ? default_unit : fits_unit(*text);
}

}  // namespace srcextract
