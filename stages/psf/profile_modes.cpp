#include "stages/psf/profile_modes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "stages/core/vector_clones.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

using Plane = std::vector<double>;

/// Positions and weights of a Gauss-Legendre quadrature with five points over the width of a pixel.
constexpr int count_of_nodes = 5;
constexpr double nodes[count_of_nodes] = {-0.4530899229693320, -0.2692346550528416, 0, 0.2692346550528416,
                                          0.4530899229693320};
constexpr double shares[count_of_nodes] = {0.1184634425280945, 0.2393143352496832, 0.2844444444444444,
                                           0.2393143352496832, 0.1184634425280945};

/// Values of (alpha / FWHM)^2 = 1 / (4 (2^(1/beta) - 1)) for Moffat profiles with beta 2, 3 and 4.5.
constexpr double square_of_2 = 0.6035533905932738, square_of_3 = 0.9618305253, square_of_45 = 1.5012396675;

constexpr int parts = ProfileField::parts, rings = ProfileField::rings;
constexpr std::size_t first_ring = ProfileField::varying + parts;  // among the modes
constexpr double ring_step = 0.25;                                 // between the radii of rings, in full widths

/// The profiles at 16 radii, which are computed together. `square` is the squared radius in units of the
/// squared full width.
struct Profiles {
  static constexpr int radii = 16;
  double square[radii];
  double part[parts][radii];  ///< each with total light 1 over an area in units of the squared full width
  double ring_unit[radii];    ///< departure from the sum of profiles by a ring of 1
  int below[radii];           ///< index of the ring inside this radius; -1: none
  double above_share[radii];  ///< weight of the next ring; 1 minus it is that of `below`
  double sum[radii];          ///< the formula
};

/// portable_exp(x), bit by bit, for x from -1000 to 0. It has no branches, so that compilers make vectors of it.
inline double exp_of_negative(double x) {
  constexpr double least = -746;  // e^x is then less than half of the smallest number
  const double in_range = x > least ? x : least;
  const double k = std::floor(in_range / (ln2_high + ln2_low) + 0.5);
  const double r = (in_range - k * ln2_high) - k * ln2_low;
  double series = 1 + r / 13;
  series = 1 + r * series / 12;
  series = 1 + r * series / 11;
  series = 1 + r * series / 10;
  series = 1 + r * series / 9;
  series = 1 + r * series / 8;
  series = 1 + r * series / 7;
  series = 1 + r * series / 6;
  series = 1 + r * series / 5;
  series = 1 + r * series / 4;
  series = 1 + r * series / 3;
  series = 1 + r * series / 2;
  series = 1 + r * series;
  // 2^k in two factors: the first is no subnormal number, so only the second product rounds
  const double half = std::floor(k / 2);
  const auto power_of_2 = [](double exponent) {
    return std::bit_cast<double>((static_cast<std::int64_t>(static_cast<std::int32_t>(exponent)) + 1023) << 52);
  };
  return series * power_of_2(half) * power_of_2(k - half);
}

/// Computes the profiles at the squared radii of `at`.
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void fill(const ProfileField& field, Profiles& at) {
  using std::numbers::pi;
  constexpr double four_log_2 = 2.772588722239781;
  const double share[parts] = {field.share[0], field.share[1], field.share[2], field.share[3]};
  for (int i = 0; i < Profiles::radii; ++i) {
    const double square = at.square[i];
    const double of_3 = 1 + square / square_of_3, of_2 = 1 + square / square_of_2, of_45 = 1 + square / square_of_45;
    const double part_3 = 2 / (of_3 * of_3 * of_3 * pi * square_of_3), part_2 = 1 / (of_2 * of_2 * pi * square_of_2);
    const double part_45 = 3.5 / (of_45 * of_45 * of_45 * of_45 * std::sqrt(of_45) * pi * square_of_45);
    const double gaussian = four_log_2 / pi * exp_of_negative(-four_log_2 * square);
    at.sum[i] = share[0] * part_3 + share[1] * part_2 + share[2] * part_45 + share[3] * gaussian;
    const double place = std::min(rings - 1.0, std::sqrt(square) / ring_step - 1);
    const int below = std::min(static_cast<int>(std::floor(place)), rings - 2);
    const double linear = place - below;
    const double above_share = below >= 0 ? linear * (linear * (3 - 2 * linear)) : linear;  // without kinks
    at.part[0][i] = part_3;
    at.part[1][i] = part_2;
    at.part[2][i] = part_45;
    at.part[3][i] = gaussian;
    at.ring_unit[i] = part_2;
    at.below[i] = below;
    at.above_share[i] = above_share;
  }
  for (int i = 0; i < Profiles::radii; ++i) {
    const int below = at.below[i];
    if (below >= 0) at.sum[i] += at.ring_unit[i] * (1 - at.above_share[i]) * field.ring[below];
    at.sum[i] += at.ring_unit[i] * at.above_share[i] * field.ring[below + 1];
  }
}

/// Calls f(pixel, weight, profiles, i) for the quadrature's points of every pixel of a plane; the point is radius i of
/// the profiles.
template <class F>
void for_each_point(const PsfSurface& surface, const ProfileField& field, double width, double e1, double e2,
                    const F& f) {
  const int middle = surface.side / 2;
  Profiles at;
  for (int y = 0; y < surface.side; ++y) {
    for (int first = 0; first < surface.side; first += Profiles::radii) {
      const int count = std::min(Profiles::radii, surface.side - first);
      for (int i = 0; i < count_of_nodes; ++i) {
        for (int j = 0; j < count_of_nodes; ++j) {
          const double v = ((y - middle) * surface.step + nodes[j]) / width;
          for (int k = 0; k < Profiles::radii; ++k) {
            const double u = ((std::min(first + k, surface.side - 1) - middle) * surface.step + nodes[i]) / width;
            at.square[k] = (1 - e1) * u * u + (1 + e1) * v * v - 2 * e2 * u * v;
          }
          fill(field, at);
          const double weight = shares[i] * shares[j] / (width * width);
          const std::size_t pixel =
              static_cast<std::size_t>(y) * static_cast<std::size_t>(surface.side) + static_cast<std::size_t>(first);
          for (int k = 0; k < count; ++k) f(pixel + static_cast<std::size_t>(k), weight, at, k);
        }
      }
    }
  }
}

Plane mean_of(const PsfSurface& surface, const ProfileField& field, double width, double e1, double e2) {
  Plane sum(surface.plane(), 0);
  for_each_point(surface, field, width, e1, e2, [&](std::size_t pixel, double weight, const Profiles& at, int i) {
    sum[pixel] += weight * at.sum[i];
  });
  return sum;
}

/// Returns the derivatives of the PSF, in the middle of the field, with respect to width and ellipticities.
std::vector<Plane> slopes_of_shape(const PsfSurface& surface, const ProfileField& field) {
  constexpr double step = 0.01;
  const auto at = [&](double width, double e1, double e2) {
    return mean_of(surface, field, field.width * (1 + width), field.e1 + e1, field.e2 + e2);
  };
  const auto slope = [](Plane above, const Plane& below, double over) {
    for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / over;
    return above;
  };
  return {slope(at(step, 0, 0), at(-step, 0, 0), 2 * step * field.width),
          slope(at(0, step, 0), at(0, -step, 0), 2 * step), slope(at(0, 0, step), at(0, 0, -step), 2 * step)};
}

/// Returns the derivatives of the PSF, in the middle of the field: with respect to width and ellipticities, to the
/// shares of the profiles, and to the rings.
std::vector<Plane> modes_of(const PsfSurface& surface, const ProfileField& field) {
  std::vector<Plane> modes = field.of_shape;
  modes.resize(ProfileField::modes, Plane(surface.plane(), 0));
  const auto add = [&](std::size_t pixel, double weight, const Profiles& at, int i) {
    for (std::size_t k = 0; k < parts; ++k) modes[ProfileField::varying + k][pixel] += weight * at.part[k][i];
    const auto add_ring = [&](int ring, double share) {
      modes[first_ring + static_cast<std::size_t>(ring)][pixel] += weight * at.ring_unit[i] * share;
    };
    if (at.below[i] >= 0) add_ring(at.below[i], 1 - at.above_share[i]);
    add_ring(at.below[i] + 1, at.above_share[i]);
  };
  for_each_point(surface, field, field.width, field.e1, field.e2, add);
  return modes;
}

/// Solves a symmetric system by Cholesky decomposition, after the diagonal is scaled to 1 and damping is added. Only
/// the lower triangle of the matrix is read.
std::vector<double> solve(std::vector<double> matrix, std::vector<double> right) {
  constexpr double damping = 1e-6;
  const std::size_t n = right.size();
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) scale[i] = matrix[i * n + i] > 0 ? 1 / std::sqrt(matrix[i * n + i]) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    right[i] *= scale[i];
    for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] *= scale[i] * scale[j];
    matrix[i * n + i] = 1 + damping;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double left = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) left -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = i == j ? std::sqrt(std::max(left, damping)) : left / matrix[j * n + j];
    }
    for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i * n + k] * right[k];
    right[i] /= matrix[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[k * n + i] * right[k];
    right[i] /= matrix[i * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) right[i] *= scale[i];
  return right;
}

/// Adds to products[j * count + m], for m <= j, the sum over pixels of weight * seen[j] * seen[m]. `seen` has `count`
/// numbers a pixel.
SRCEXTRACT_VECTOR_CLONES
void add_products(const double* seen, const double* weight, std::size_t pixels, std::size_t count, double* products) {
  for (std::size_t i = 0; i < pixels; ++i) {
    const double* const here = seen + i * count;
    if (weight[i] == 0) continue;
    for (std::size_t j = 0; j < count; ++j) {
      const double factor = weight[i] * here[j];
      double* const row = products + j * count;
      for (std::size_t m = 0; m <= j; ++m) row[m] += factor * here[m];
    }
  }
}

/// Weighted sums over the pixels of a star: of products of the first `count` modes with those before them and
/// themselves, and with what the model leaves of the star.
struct ModeProducts {
  std::vector<double> with_modes, with_beyond;

  ModeProducts(const StarEquations& star, const std::vector<Plane>& modes, std::size_t count)
      : with_modes(count * count, 0), with_beyond(count, 0) {
    const std::size_t pixels = star.weight.size();
    std::vector<double> all(pixels * count), one;
    for (std::size_t j = 0; j < count; ++j) {
      star.window->draw(modes[j].data(), one);
      star.take_out(one);
      for (std::size_t i = 0; i < pixels; ++i) {
        all[i * count + j] = one[i];
        with_beyond[j] += star.weight[i] * one[i] * star.beyond[i];
      }
    }
    add_products(all.data(), star.weight.data(), pixels, count, with_modes.data());
  }
};

/// Returns the index of the unknown for number `mode` of ProfileField and polynomial term `term`; -1 if the number does
/// not vary with this term.
int unknown(int mode, int term, int terms) {
  if (mode < ProfileField::varying) return mode * terms + term;
  return term == 0 ? ProfileField::varying * terms + mode - ProfileField::varying : -1;
}

/// Adds priors: the slopes of the relative width and of the ellipticities have a standard deviation of 0.15, the shares
/// of the profiles one of 0.5, the width one of 5 %, and the rings the field's.
void add_prior(const ProfileField& field, int terms, std::vector<double>& matrix, std::vector<double>& right) {
  constexpr double of_slopes = 0.15, of_width = 0.05, of_shares = 0.5;
  const auto pull = [&](int mode, int term, double value, double deviation) {
    const auto row = static_cast<std::size_t>(unknown(mode, term, terms));
    const double weight = 1 / (deviation * deviation);
    matrix[row * right.size() + row] += weight;
    right[row] -= weight * value;
  };
  for (int j = 0; j < ProfileField::varying; ++j) {
    for (int k = 1; k < terms; ++k) {
      const std::size_t at = static_cast<std::size_t>(k - 1) * ProfileField::varying + static_cast<std::size_t>(j);
      pull(j, k, at < field.slopes.size() ? field.slopes[at] : 0, j == 0 ? of_slopes * field.width : of_slopes);
    }
  }
  pull(0, 0, field.width - field.measured_width, of_width * field.measured_width);
  for (int i = 0; i < parts; ++i) pull(ProfileField::varying + i, 0, field.share[i] - (i == 0 ? 1 : 0), of_shares);
  for (int i = 0; i < rings; ++i) {
    const bool in_core = (i + 1) * ring_step <= 1;
    pull(ProfileField::varying + parts + i, 0, field.ring[i], in_core ? field.core_deviation : field.wing_deviation);
  }
}

}  // namespace

double ProfileField::full_width() const {
  constexpr double step = 0.005;
  const auto at = [&](double radius) {
    Profiles profiles;
    std::ranges::fill(profiles.square, radius * radius);
    fill(*this, profiles);
    return profiles.sum[0];
  };
  const double half = at(0) / 2;
  double radius = step;
  while (radius < 2 && at(radius) > half) radius += step;
  const double before = at(radius - step), after = at(radius);
  return 2 * width * (radius - step * (half - after) / std::max(before - after, half - after));
}

void draw_field(ProfileField& field, PsfSurface& surface) {
  Plane middle = mean_of(surface, field, field.width, field.e1, field.e2);
  const double light = surface.light_of(middle);
  if (light > 0) {
    for (double& value : middle) value /= light;
    for (double& share : field.share) share /= light;
    for (double& ring : field.ring) ring /= light;
  }
  field.of_shape = slopes_of_shape(surface, field);
  std::ranges::copy(middle, surface.of(0));
  for (int k = 1; k < surface.terms(); ++k) {
    double* const plane = surface.of(k);
    std::fill(plane, plane + surface.plane(), 0);
    for (std::size_t j = 0; j < ProfileField::varying && !field.slopes.empty(); ++j) {
      const double slope = field.slopes[static_cast<std::size_t>(k - 1) * ProfileField::varying + j];
      for (std::size_t i = 0; i < surface.plane(); ++i) plane[i] += slope * field.of_shape[j][i];
    }
  }
  fix_gauge(surface);
}

void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, ProfileField& field) {
  const std::vector<Plane> modes = modes_of(surface, field);
  const int terms = surface.terms();
  const auto count =
      static_cast<std::size_t>(ProfileField::varying * terms + ProfileField::modes - ProfileField::varying);
  std::vector<double> matrix(count * count, 0), right(count, 0);
  const std::size_t active = field.wing_deviation > ProfileField::fixed ? modes.size() : first_ring;
  for (const StarEquations& star : stars) {
    const ModeProducts products(star, modes, active);
    for (std::size_t j = 0; j < active; ++j) {
      for (int k = 0; k < terms; ++k) {
        const int row = unknown(static_cast<int>(j), k, terms);
        if (row < 0) continue;
        const double of_row = star.basis[static_cast<std::size_t>(k)];
        right[static_cast<std::size_t>(row)] += of_row * products.with_beyond[j];
        for (std::size_t m = 0; m <= j; ++m) {
          for (int l = 0; l < terms; ++l) {
            const int column = unknown(static_cast<int>(m), l, terms);
            if (column >= 0)
              matrix[static_cast<std::size_t>(row) * count + static_cast<std::size_t>(column)] +=
                  of_row * star.basis[static_cast<std::size_t>(l)] * products.with_modes[j * active + m];
          }
        }
      }
    }
  }
  add_prior(field, terms, matrix, right);
  std::vector<double> step = solve(matrix, right);
  const auto at = [&](int mode, int term) { return step[static_cast<std::size_t>(unknown(mode, term, terms))]; };
  // a change too far for the first order is cut, and the others follow the cut one
  constexpr double relative = 0.05, of_ellipticity = 0.1, most_ellipticity = 0.6, fixed = 1e18;
  for (int mode = 0; mode < ProfileField::varying; ++mode) {
    const double most = mode == 0 ? relative * field.width : of_ellipticity;
    if (std::abs(at(mode, 0)) <= most) continue;
    const auto row = static_cast<std::size_t>(unknown(mode, 0, terms));
    matrix[row * count + row] += fixed;
    right[row] += fixed * std::clamp(at(mode, 0), -most, most);
  }
  step = solve(std::move(matrix), std::move(right));
  field.width += at(0, 0);
  field.e1 = std::clamp(field.e1 + at(1, 0), -most_ellipticity, most_ellipticity);
  field.e2 = std::clamp(field.e2 + at(2, 0), -most_ellipticity, most_ellipticity);
  for (int i = 0; i < parts; ++i) field.share[i] += at(ProfileField::varying + i, 0);
  for (int i = 0; i < rings; ++i) field.ring[i] += at(ProfileField::varying + parts + i, 0);
  field.slopes.resize(static_cast<std::size_t>(terms - 1) * ProfileField::varying, 0);
  for (int k = 1; k < terms; ++k)
    for (int j = 0; j < ProfileField::varying; ++j)
      field.slopes[static_cast<std::size_t>(k - 1) * ProfileField::varying + static_cast<std::size_t>(j)] += at(j, k);
}

}  // namespace srcextract
