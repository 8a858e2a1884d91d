#include "pipeline/exposure/mask_planes.hpp"

#include <spdlog/fmt/fmt.h>

#include <charconv>
#include <optional>

#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {
namespace {

constexpr std::size_t card_columns = 80;
constexpr std::string_view prefix = "MP_";

/// A named bit of a quality map. The header of the map defines the name, as in MP_BAD = 0 or HIERARCH
/// MP_DETECTED_NEGATIVE = 6 (the convention of LSST).
struct MaskPlane {
  std::string name;
  int bit;
};

std::optional<int> bit_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The bit that a header card names; nullopt if the card names none.
std::optional<MaskPlane> plane_of(std::string_view card) {
  constexpr std::string_view long_keyword = "HIERARCH ";
  if (card.starts_with(long_keyword)) card = trimmed(card.substr(long_keyword.size()));
  const std::size_t equals = card.find('=');
  if (!card.starts_with(prefix) || equals == std::string_view::npos) return std::nullopt;
  const std::string_view value = card.substr(equals + 1);
  const std::optional<int> bit = bit_number(trimmed(value.substr(0, value.find('/'))));
  if (!bit) return std::nullopt;
  return MaskPlane{std::string(trimmed(card.substr(prefix.size(), equals - prefix.size()))), *bit};
}

std::vector<MaskPlane> mask_planes(std::string_view header) {
  std::vector<MaskPlane> planes;
  for (; header.size() >= card_columns; header.remove_prefix(card_columns))
    if (std::optional<MaskPlane> plane = plane_of(header.substr(0, card_columns))) planes.push_back(std::move(*plane));
  return planes;
}

std::string listed(const std::vector<MaskPlane>& planes) {
  if (planes.empty()) return "its header names none (MP_...); give numbers";
  return "its header names " +
         first_few(planes.size(), [&](std::size_t i) { return fmt::format("{} ({})", planes[i].name, planes[i].bit); });
}

/// End of a message that the header does not define `wanted`: suggests the most similar name, or is empty. `wanted` may
/// begin with the prefix MP_.
std::string near_to(std::string wanted, const std::vector<MaskPlane>& planes) {
  if (wanted.starts_with(prefix) && wanted.size() > prefix.size()) wanted.erase(0, prefix.size());
  std::vector<std::string> names;
  for (const MaskPlane& plane : planes) names.push_back(plane.name);
  const std::string near = nearest(wanted, names);
  return near.empty() ? "" : "; did you mean " + near + "?";
}

/// The bit that `wanted` stands for, by number or name; nullopt if there is none. A number is always the bit itself,
/// even if the header uses that number as the name of another bit.
std::optional<int> bit_of(const std::string& wanted, const std::vector<MaskPlane>& planes) {
  if (const std::optional<int> number = bit_number(wanted)) return number;
  std::optional<int> bit;
  for (const MaskPlane& plane : planes) {
    if (plane.name != wanted) continue;
    if (bit && *bit != plane.bit)
      throw Error(ErrorKind::input, fmt::format("the map's header says that {} is bit {}, and that it is bit {}; give "
                                                "the number of the right one",
                                                wanted, *bit, plane.bit));
    bit = plane.bit;
  }
  return bit;
}

}  // namespace

std::uint64_t wanted_bits(const std::vector<std::string>& wanted, std::string_view header, const PixelFormat& format) {
  if (wanted.empty()) return ~std::uint64_t{0};
  const int width = mask_bits(format);
  if (width == 0) throw Error(ErrorKind::input, "the map holds real numbers, which have no bits; leave mask.bits out");
  const std::vector<MaskPlane> planes = mask_planes(header);
  std::uint64_t bits = 0;
  for (const std::string& name : wanted) {
    const int bit = bit_of(name, planes).value_or(-1);
    if (bit < 0 || bit >= width)
      throw Error(ErrorKind::input, fmt::format("the map has no bit {}: it has {} bits, and {}{}", name, width,
                                                listed(planes), bit_number(name) ? "" : near_to(name, planes)));
    bits |= std::uint64_t{1} << bit;
  }
  return bits;
}

}  // namespace srcextract
