#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/fits/table_head.hpp"

namespace srcextract {

/// A position on the sky in degrees (ICRS or J2000); NaN: unknown.
struct SkyPlace {
  float ra = std::numeric_limits<float>::quiet_NaN(), dec = ra;

  bool is_known() const { return std::isfinite(ra) && std::isfinite(dec); }
};

/// Computes the mean direction of positions on the sky. The positions must be finite.
class MeanPlace {
 public:
  void add(double ra, double dec);

  /// The mean, with 0 <= ra < 360. Unknown if no position was added, or if the directions cancel each other.
  SkyPlace value() const;

 private:
  double x_ = 0, y_ = 0, z_ = 0;
};

/// Reads the columns ALPHA_J2000 and DELTA_J2000 of rows that are stored as in a FITS table.
class SkyColumns {
 public:
  /// Sets `missing` to the name of the first of the two columns that is absent or does not have one double per row;
  /// unset if both are present.
  SkyColumns(const std::vector<StoredColumn>& columns, std::optional<const char*>& missing);

  /// Right ascension and declination in a row, in degrees; nothing if the values are not finite, or |declination| > 90.
  /// Both columns must be present.
  std::optional<std::pair<double, double>> position(std::span<const std::byte> row) const;

 private:
  std::size_t ra_ = 0, dec_ = 0;  ///< byte offsets in a row
};

}  // namespace srcextract
