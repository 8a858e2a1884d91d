#include "stages/math/exact_math.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace srcextract {

namespace {

using std::numbers::pi;

/// atan(k / 8), k = 0 .. 8.
constexpr double atan_of_eighths[] = {0.0,
                                      0.12435499454676143503,
                                      0.24497866312686415417,
                                      0.35877067027057222040,
                                      0.46364760900080611621,
                                      0.55859931534356243597,
                                      0.64350110879328438680,
                                      0.71882999962162450542,
                                      0.78539816339744830962};

/// Returns atan(t) for 0 <= t <= 1, as atan c + atan((t - c) / (1 + t c)), where c is the multiple of 1/8 nearest to t.
/// The second term is computed by its Taylor series for an argument of at most 1/16. The first omitted term is below
/// 1e-18 of the second term.
double atan_unit(double t) {
  const int k = static_cast<int>(t * 8 + 0.5);
  const double c = k / 8.0;
  const double u = (t - c) / (1 + t * c);
  const double u2 = u * u;
  double series = 0;
  for (int n = 13; n >= 1; n -= 2) series = 1.0 / n - u2 * series;
  return atan_of_eighths[k] + u * series;
}

}  // namespace

double portable_atan2(double y, double x) {
  if (!std::isfinite(x) || !std::isfinite(y)) return std::numeric_limits<double>::quiet_NaN();
  const double ax = std::fabs(x);
  const double ay = std::fabs(y);
  double angle = 0;
  if (ay > ax) {
    angle = pi / 2 - atan_unit(ax / ay);
  } else if (ax > 0) {
    angle = atan_unit(ay / ax);
  }
  if (std::signbit(x)) angle = pi - angle;
  return std::copysign(angle, y);
}

CosineSine portable_cosine_sine(double angle) {
  constexpr double quarter = pi / 2;
  const double quarters = std::floor(angle / quarter + 0.5);
  const double rest = angle - quarters * quarter, sine = portable_sin(rest), of_half = portable_sin(rest / 2);
  const double cosine = 1 - 2 * of_half * of_half;
  const double of_turn = quarters - 4 * std::floor(quarters / 4);
  if (of_turn == 1) return {-sine, cosine};
  if (of_turn == 2) return {-cosine, -sine};
  if (of_turn == 3) return {sine, -cosine};
  return {cosine, sine};
}

}  // namespace srcextract
