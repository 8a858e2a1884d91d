#include "stages/psf/moffat_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace srcextract {
namespace {

using Plane = std::vector<double>;

/// Positions and weights of a Gauss-Legendre quadrature with three points over the width of a pixel.
constexpr double nodes[] = {-0.3872983346207417, 0, 0.3872983346207417}, shares[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

/// Values of (alpha / FWHM)^2 = 1 / (4 (2^(1/beta) - 1)) for Moffat profiles with beta 2, 3 and 4.5.
constexpr double square_of_2 = 0.6035533905932738, square_of_3 = 0.9618305253, square_of_45 = 1.5012396675;

/// Returns the value of a Moffat profile with total light 1. `which` 0, 1, 2 selects beta 2, 3, 4.5. `square` is the
/// squared distance in units of the squared full width.
double moffat(double square, int which) {
  using std::numbers::pi;
  const double scale = which == 0 ? square_of_2 : which == 1 ? square_of_3 : square_of_45;
  const double base = 1 + square / scale;
  if (which == 0) return 1 / (base * base * pi * scale);
  if (which == 1) return 2 / (base * base * base * pi * scale);
  return 3.5 / (base * base * base * base * std::sqrt(base) * pi * scale);
}

/// Returns Moffat profile `which` with this width and ellipticity as a plane. Each value is the mean over an image
/// pixel.
Plane profile(const PsfSurface& surface, double width, double e1, double e2, int which) {
  Plane plane;
  const int middle = surface.side / 2;
  for (int y = 0; y < surface.side; ++y) {
    for (int x = 0; x < surface.side; ++x) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const double u = ((x - middle) * surface.step + nodes[i]) / width,
                       v = ((y - middle) * surface.step + nodes[j]) / width;
          const double square = (1 - e1) * u * u + (1 + e1) * v * v - 2 * e2 * u * v;
          sum += shares[i] * shares[j] * moffat(square, which);
        }
      }
      plane.push_back(sum / (width * width));
    }
  }
  return plane;
}

Plane mean_of(const PsfSurface& surface, const MoffatField& field, double width, double e1, double e2) {
  Plane sum = profile(surface, width, e1, e2, 1);
  const Plane broad = profile(surface, width, e1, e2, 0), narrow = profile(surface, width, e1, e2, 2);
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] += field.broad * (broad[i] - sum[i]) + field.narrow * (narrow[i] - sum[i]);
  return sum;
}

/// Returns the derivatives of the PSF, in the middle of the field, with respect to each of the five numbers of
/// MoffatField.
std::vector<Plane> modes_of(const PsfSurface& surface, const MoffatField& field) {
  constexpr double step = 0.01;
  const auto at = [&](double width, double e1, double e2) {
    return mean_of(surface, field, field.width * (1 + width), field.e1 + e1, field.e2 + e2);
  };
  const auto slope = [](Plane above, const Plane& below, double over) {
    for (std::size_t i = 0; i < above.size(); ++i) above[i] = (above[i] - below[i]) / over;
    return above;
  };
  const Plane middle = profile(surface, field.width, field.e1, field.e2, 1);
  return {slope(at(step, 0, 0), at(-step, 0, 0), 2 * step * field.width),
          slope(at(0, step, 0), at(0, -step, 0), 2 * step), slope(at(0, 0, step), at(0, 0, -step), 2 * step),
          slope(profile(surface, field.width, field.e1, field.e2, 0), middle, 1),
          slope(profile(surface, field.width, field.e1, field.e2, 2), middle, 1)};
}

/// Solves a symmetric system by Cholesky decomposition, after the diagonal is scaled to 1 and damping is added.
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

/// Returns the index of the unknown for number `mode` of MoffatField and polynomial term `term`; -1 if the number does
/// not vary with this term.
int unknown(int mode, int term, int terms) {
  if (mode < MoffatField::varying) return mode * terms + term;
  return term == 0 ? MoffatField::varying * terms + mode - MoffatField::varying : -1;
}

/// Adds the prior that the PSF varies little over the field: the slopes of the relative width and of the ellipticities
/// have a standard deviation of 0.15.
void add_prior(const MoffatField& field, int terms, std::vector<double>& matrix, std::vector<double>& right) {
  constexpr double deviation = 0.15;
  for (int j = 0; j < MoffatField::varying; ++j) {
    for (int k = 1; k < terms; ++k) {
      const double scale = j == 0 ? deviation * field.width : deviation, weight = 1 / (scale * scale);
      const auto row = static_cast<std::size_t>(unknown(j, k, terms));
      const std::size_t at = static_cast<std::size_t>(k - 1) * MoffatField::varying + static_cast<std::size_t>(j);
      matrix[row * right.size() + row] += weight;
      right[row] -= weight * (at < field.slopes.size() ? field.slopes[at] : 0);
    }
  }
}

}  // namespace

void draw_field(const MoffatField& field, PsfSurface& surface) {
  const std::vector<Plane> modes = modes_of(surface, field);
  const Plane middle = mean_of(surface, field, field.width, field.e1, field.e2);
  std::ranges::copy(middle, surface.of(0));
  for (int k = 1; k < surface.terms(); ++k) {
    double* const plane = surface.of(k);
    std::fill(plane, plane + surface.plane(), 0);
    for (std::size_t j = 0; j < MoffatField::varying && !field.slopes.empty(); ++j) {
      const double slope = field.slopes[static_cast<std::size_t>(k - 1) * MoffatField::varying + j];
      for (std::size_t i = 0; i < surface.plane(); ++i) plane[i] += slope * modes[j][i];
    }
  }
  fix_gauge(surface);
}

void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, MoffatField& field) {
  const std::vector<Plane> modes = modes_of(surface, field);
  const int terms = surface.terms();
  const auto count = static_cast<std::size_t>(MoffatField::varying * terms + MoffatField::modes - MoffatField::varying);
  std::vector<double> matrix(count * count, 0), right(count, 0);
  for (const StarEquations& star : stars) {
    std::vector<Plane> seen(modes.size());
    for (std::size_t j = 0; j < modes.size(); ++j) {
      star.window->draw(modes[j].data(), seen[j]);
      star.take_out(seen[j]);
    }
    for (int j = 0; j < MoffatField::modes; ++j) {
      const Plane& own = seen[static_cast<std::size_t>(j)];
      double with_left = 0, with[MoffatField::modes] = {};
      for (std::size_t i = 0; i < own.size(); ++i) {
        const double weighted = own[i] * star.weight[i];
        with_left += weighted * star.beyond[i];
        for (int m = 0; m < MoffatField::modes; ++m) with[m] += weighted * seen[static_cast<std::size_t>(m)][i];
      }
      for (int k = 0; k < terms; ++k) {
        const int row = unknown(j, k, terms);
        if (row < 0) continue;
        const double of_row = star.basis[static_cast<std::size_t>(k)];
        right[static_cast<std::size_t>(row)] += of_row * with_left;
        for (int m = 0; m < MoffatField::modes; ++m) {
          for (int l = 0; l < terms; ++l) {
            const int column = unknown(m, l, terms);
            if (column >= 0)
              matrix[static_cast<std::size_t>(row) * count + static_cast<std::size_t>(column)] +=
                  of_row * star.basis[static_cast<std::size_t>(l)] * with[m];
          }
        }
      }
    }
  }
  add_prior(field, terms, matrix, right);
  const std::vector<double> step = solve(std::move(matrix), std::move(right));
  const auto at = [&](int mode, int term) { return step[static_cast<std::size_t>(unknown(mode, term, terms))]; };
  constexpr double most_change = 0.3, most_ellipticity = 0.6;
  field.width *= 1 + std::clamp(at(0, 0) / field.width, -most_change, most_change);
  field.e1 =
      std::clamp(field.e1 + std::clamp(at(1, 0), -most_change, most_change), -most_ellipticity, most_ellipticity);
  field.e2 =
      std::clamp(field.e2 + std::clamp(at(2, 0), -most_change, most_change), -most_ellipticity, most_ellipticity);
  field.broad = std::clamp(field.broad + at(3, 0), -1.0, 1.0);
  field.narrow = std::clamp(field.narrow + at(4, 0), -1.0, 1.0);
  field.slopes.resize(static_cast<std::size_t>(terms - 1) * MoffatField::varying, 0);
  for (int k = 1; k < terms; ++k)
    for (int j = 0; j < MoffatField::varying; ++j)
      field.slopes[static_cast<std::size_t>(k - 1) * MoffatField::varying + static_cast<std::size_t>(j)] += at(j, k);
}

}  // namespace srcextract
