#include <cmath>

#include "stages/math/exact_math.hpp"
#include "stages/picture/picture.hpp"
#include "stages/picture/picture_bin.hpp"

namespace srcextract {

namespace {

double asinh_of(double x) {
  return portable_log(x + std::sqrt(x * x + 1));
}

/// Returns the brightness, 0 to 1, of a relative pixel value t in [0, 1].
double stretched(Stretch stretch, double t) {
  constexpr double log_strength = 1000;
  constexpr double asinh_strength = 10;
  switch (stretch) {
    case Stretch::sqrt:
      return std::sqrt(t);
    case Stretch::log:
      return portable_log(1 + log_strength * t) / portable_log(1 + log_strength);
    case Stretch::asinh:
      return asinh_of(asinh_strength * t) / asinh_of(asinh_strength);
    case Stretch::linear:
    case Stretch::equalize:
      break;
  }
  return t;
}

void equalize(const Buffer<std::uint32_t, Cpu>& counts, Buffer<std::uint8_t, Cpu>& table) {
  std::uint64_t total = 0;
  for (const std::uint32_t count : counts) total += count;
  std::uint64_t before = 0;
  for (std::int64_t bin = 0; bin < table.size(); ++bin) {
    table[bin] = equalized_grey(before, counts[bin], total);
    before += counts[bin];
  }
}

}  // namespace

Buffer<std::uint8_t, Cpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Cpu>& counts,
                                     const Cpu& where) {
  Buffer<std::uint8_t, Cpu> table(bins, where);
  if (stretch == Stretch::equalize) {
    equalize(counts, table);
    return table;
  }
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const double centre = (static_cast<double>(bin) + 0.5) / static_cast<double>(bins);
    table[bin] = static_cast<std::uint8_t>(255 * stretched(stretch, centre) + 0.5);
  }
  return table;
}

}  // namespace srcextract
