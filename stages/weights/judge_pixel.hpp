#pragma once

#include <cstdint>
#include <type_traits>

#include "stages/core/host_device.hpp"
#include "stages/ingest/stored_bits.hpp"
#include "stages/settings/mask.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {

/// The rule that decides which stored values of a quality map are bad; CPU and GPU code share it.
struct MaskRule {
  std::uint64_t bits;
  bool bad_where_set;  ///< true: a value is bad if any of `bits` is set; false: if none is set
  double bzero;
  bool has_blank;
  std::int64_t blank;
};

inline MaskRule rule_of(const PixelFormat& format, const BadPixels& bad) {
  return {bad.bits, bad.good != GoodPixels::nonzero, format.bzero, format.blank.has_value(), format.blank.value_or(0)};
}

/// Whether a stored value is bad. A real number 0 has no bit set; any other real number, also NaN, has all bits set.
template <class Stored>
SRCEXTRACT_HOST_DEVICE bool judge_pixel(typename Stored::Value stored, const MaskRule& rule) {
  if constexpr (std::is_integral_v<typename Stored::Value>) {
    if (rule.has_blank && static_cast<std::int64_t>(stored) == rule.blank) return true;
    return ((bits_of<Stored>(stored, rule.bzero) & rule.bits) != 0) == rule.bad_where_set;
  } else {
    return (stored != 0 && rule.bits != 0) == rule.bad_where_set;
  }
}

}  // namespace srcextract
