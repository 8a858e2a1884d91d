#include "survey/sky/healpix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace srcextract {
namespace {

constexpr double radian = std::numbers::pi / 180;

/// A position in one of the twelve base faces of HEALPix. The coordinates go from 0 to 1 along the south-east side (x)
/// and the south-west side (y), from the southern corner.
struct InFace {
  int face;
  double x, y;
};

/// The position of a direction within 41.8 degrees of the equator (|z| <= 2/3), where the projection is cylindrical.
/// `turn` is the right ascension divided by 90 degrees, from 0 to 4; `z` is the sine of the declination.
InFace near_equator(double turn, double z) {
  // In coordinates turned by 45 degrees, the base faces are unit squares between integers.
  const double up = turn + 0.5 + 0.75 * z, down = turn + 0.5 - 0.75 * z;
  const double row = std::floor(up), column = std::floor(down);
  const int quarter = static_cast<int>(std::min(row, column)) & 3;
  // `row` and `column` differ by one at most. Equal: a face on the equator; row larger: a northern face; column larger:
  // a southern face.
  const int face = row == column ? 4 + (static_cast<int>(row) & 3) : row > column ? quarter : 8 + quarter;
  return {face, up - row, 1 - (down - column)};
}

/// The position of a direction closer to a pole, where the meridians of each quarter of right ascension meet in one
/// point. `width` is the width of the quarter in the projection at this declination.
InFace near_pole(double turn, double width, bool north) {
  const int quarter = std::min(static_cast<int>(turn), 3);
  const double west = (turn - quarter) * width, east = (1 - (turn - quarter)) * width;
  return north ? InFace{quarter, 1 - east, 1 - west} : InFace{8 + quarter, west, east};
}

/// Moves bit i of a 29-bit number to bit 2 i, with zeros in between.
std::int64_t spread(std::int64_t bits) {
  std::int64_t out = 0;
  for (int i = 0; i < finest_healpix_order; ++i) out |= (bits >> i & 1) << (2 * i);
  return out;
}

}  // namespace

std::int64_t healpix_cell(double ra, double dec, int order) {
  double turn = std::fmod(ra / 90, 4);
  if (turn < 0) turn += 4;
  if (turn >= 4) turn = 0;  // a tiny negative number plus 4 rounds to 4
  const double z = std::sin(dec * radian);
  // sqrt(3 (1 - |z|)), written so that no digits cancel near the pole
  const double width = std::sqrt(6.0) * std::sin((90 - std::abs(dec)) * radian / 2);
  const InFace at = std::abs(z) <= 2.0 / 3 ? near_equator(turn, z) : near_pole(turn, width, z > 0);
  const std::int64_t side = std::int64_t{1} << order;
  const auto cell = [&](double part) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(part * static_cast<double>(side)), 0, side - 1);
  };
  return at.face * side * side + (spread(cell(at.x)) | spread(cell(at.y)) << 1);
}

}  // namespace srcextract
