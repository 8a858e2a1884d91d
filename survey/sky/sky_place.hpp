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

/// A position on the sky in degrees (ICRS or J2000); NaN: not known.
struct SkyPlace {
  float ra = std::numeric_limits<float>::quiet_NaN(), dec = ra;

  bool is_known() const { return std::isfinite(ra) && std::isfinite(dec); }
};

/// Computes the mean direction of positions; ignores positions that are no direction (such as NaN).
class MeanPlace {
 public:
  void add(double ra, double dec);

  /// The mean, with 0 <= ra < 360; not known without a position, and if the positions have no mean.
  SkyPlace value() const;

 private:
  double x_ = 0, y_ = 0, z_ = 0;
};

/// Reads the columns ALPHA_J2000 and DELTA_J2000 of rows that are stored as in FITS.
class SkyColumns {
 public:
  /// Sets `missing` to the name of a column that is absent, or is not one double per row.
  SkyColumns(const std::vector<StoredColumn>& columns, std::optional<const char*>& missing);

  /// Right ascension and declination in a row, in degrees; nothing if they are no direction. No column may be missing.
  std::optional<std::pair<double, double>> position(std::span<const std::byte> row) const;

 private:
  std::size_t ra_ = 0, dec_ = 0;  ///< offsets in a row
};

}  // namespace srcextract
