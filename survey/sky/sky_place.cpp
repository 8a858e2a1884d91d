#include "survey/sky/sky_place.hpp"

#include "io/files/big_endian.hpp"
#include "io/wcs/direction.hpp"

namespace srcextract {
namespace {

/// The byte offset, in a row, of the column of this name if it has one double per row; else nothing.
std::optional<std::size_t> offset_of_double(const std::vector<StoredColumn>& columns, const char* name) {
  std::size_t offset = 0;
  for (const StoredColumn& column : columns) {
    if (column.name == name && column.form.ends_with('D') && column.bytes == 8) return offset;
    offset += static_cast<std::size_t>(column.bytes);
  }
  return std::nullopt;
}

}  // namespace

void MeanPlace::add(double ra, double dec) {
  x_ += std::cos(dec * degree) * std::cos(ra * degree);
  y_ += std::cos(dec * degree) * std::sin(ra * degree);
  z_ += std::sin(dec * degree);
}

SkyPlace MeanPlace::value() const {
  const double across = std::hypot(x_, y_);
  if (!(std::hypot(across, z_) > 1e-9)) return {};
  const double ra = std::atan2(y_, x_) / degree;
  const auto turned = static_cast<float>(ra < 0 ? ra + 360 : ra);
  return {turned < 360 ? turned : 0, static_cast<float>(std::atan2(z_, across) / degree)};
}

SkyColumns::SkyColumns(const std::vector<StoredColumn>& columns, std::optional<const char*>& missing) {
  missing.reset();
  const auto offset = [&](const char* name) {
    const std::optional<std::size_t> found = offset_of_double(columns, name);
    if (!found && !missing) missing = name;
    return found.value_or(0);
  };
  ra_ = offset("ALPHA_J2000");
  dec_ = offset("DELTA_J2000");
}

std::optional<std::pair<double, double>> SkyColumns::position(std::span<const std::byte> row) const {
  const auto ra = load_big_endian<double>(row.data() + ra_), dec = load_big_endian<double>(row.data() + dec_);
  const bool is_direction = std::isfinite(ra) && std::abs(dec) <= 90;
  return is_direction ? std::optional(std::pair(ra, dec)) : std::nullopt;
}

}  // namespace srcextract
