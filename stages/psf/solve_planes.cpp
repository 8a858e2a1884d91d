#include "stages/psf/solve_planes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

using Values = std::vector<double>;

constexpr double kernel[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
constexpr int reach = 2;

/// Convolves every plane with the kernel along one axis; pixels outside the plane are 0. If `squared`, the kernel's
/// weights are squared.
Values blurred(const Values& planes, std::size_t side, bool along_y, bool squared) {
  Values out(planes.size(), 0);
  const auto n = static_cast<std::ptrdiff_t>(side), next = along_y ? n : 1;
  for (std::ptrdiff_t i = 0; i < std::ssize(planes); ++i) {
    const std::ptrdiff_t place = along_y ? i / n % n : i % n;
    for (std::ptrdiff_t k = -reach; k <= reach; ++k) {
      if (place + k < 0 || place + k >= n) continue;
      const double weight = kernel[k + reach];
      out[static_cast<std::size_t>(i)] +=
          (squared ? weight * weight : weight) * planes[static_cast<std::size_t>(i + k * next)];
    }
  }
  return out;
}

double dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Returns the lower triangular matrix L with L L^T = sum of w b b^T over the stars. w is the sum of a star's weights,
/// and b are the values of the polynomial's terms at its position.
Values triangle_of(const std::vector<StarEquations>& stars, std::size_t terms) {
  Values matrix(terms * terms, 0);
  for (const StarEquations& star : stars) {
    const double weight = std::accumulate(star.weight.begin(), star.weight.end(), 0.0);
    for (std::size_t i = 0; i < terms; ++i)
      for (std::size_t j = 0; j <= i; ++j) matrix[i * terms + j] += weight * star.basis[i] * star.basis[j];
  }
  for (std::size_t i = 0; i < terms; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double left = matrix[i * terms + j];
      const double own = left;
      for (std::size_t k = 0; k < j; ++k) left -= matrix[i * terms + k] * matrix[j * terms + k];
      constexpr double least_pivot = 1e-10;
      if (i == j)
        matrix[i * terms + i] = std::sqrt(std::max(left, least_pivot * own + 1e-300));
      else
        matrix[i * terms + j] = left / matrix[j * terms + j];
    }
  }
  return matrix;
}

/// The normal equations for the planes, in polynomial terms that were made orthogonal over the stars.
class Equations {
 public:
  Equations(const std::vector<StarEquations>& stars, const PsfSurface& surface, const Cpu& where)
      : stars_(stars),
        where_(where),
        terms_(static_cast<std::size_t>(surface.terms())),
        side_(static_cast<std::size_t>(surface.side)),
        plane_(surface.plane()),
        triangle_(triangle_of(stars, terms_)) {
    for (const StarEquations& star : stars) {
      Values own = star.basis;
      for (std::size_t i = 0; i < terms_; ++i) {
        for (std::size_t k = 0; k < i; ++k) own[i] -= triangle_[i * terms_ + k] * own[k];
        own[i] /= triangle_[i * terms_ + i];
      }
      basis_.push_back(own);
    }
  }

  Values blur(const Values& planes, bool squared = false) const {
    return blurred(blurred(planes, side_, false, squared), side_, true, squared);
  }

  /// Returns the sum over all stars of the planes that PsfWindow::spread() makes from pixels_of(star), blurred.
  template <class Pixels>
  Values gather(const Pixels& pixels_of, bool squared = false) const {
    constexpr std::int64_t group = 8;
    const std::int64_t groups = (std::ssize(stars_) + group - 1) / group;
    std::vector<Values> parts(static_cast<std::size_t>(groups));
    parallel_for(std::ssize(stars_), group, where_, [&](std::int64_t begin, std::int64_t end) {
      Values& part = parts[static_cast<std::size_t>(begin / group)];
      part.assign(terms_ * plane_, 0);
      Values plane;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        plane.assign(plane_, 0);
        stars_[i].window->spread(pixels_of(i), plane.data(), squared);
        for (std::size_t k = 0; k < terms_; ++k) {
          const double factor = squared ? basis_[i][k] * basis_[i][k] : basis_[i][k];
          add_scaled(factor, plane.data(), plane_, part.data() + k * plane_);
        }
      }
    });
    Values sum(terms_ * plane_, 0);
    for (const Values& part : parts) add_scaled(1, part.data(), part.size(), sum.data());
    return blur(sum, squared);
  }

  Values right_side() const {
    return gather([&](std::size_t i) {
      Values pixels = stars_[i].beyond;
      stars_[i].take_out(pixels);
      for (std::size_t p = 0; p < pixels.size(); ++p) pixels[p] *= stars_[i].weight[p];
      return pixels;
    });
  }
  Values diagonal() const {
    return gather([&](std::size_t i) { return stars_[i].weight; }, true);
  }
  /// Multiplies planes by the matrix of the normal equations, without the prior.
  Values times(const Values& departure) const {
    const Values planes = blur(departure);
    return gather([&](std::size_t i) {
      Values own(plane_, 0), pixels;
      for (std::size_t k = 0; k < terms_; ++k) add_scaled(basis_[i][k], planes.data() + k * plane_, plane_, own.data());
      stars_[i].window->draw(own.data(), pixels);
      stars_[i].take_out(pixels);
      for (std::size_t p = 0; p < pixels.size(); ++p) pixels[p] *= stars_[i].weight[p];
      return pixels;
    });
  }

  /// Returns the inverse of the prior variance of each pixel of the orthogonal planes.
  Values prior(const PsfSurface& usual, double of_first) const {
    constexpr double of_peak = 3e-4;
    const double of_others = of_first / 3;
    constexpr double of_blurred = 0.2734375;  // square root of the sum of squares of the two-dimensional kernel
    const double* const mean = usual.of(0);
    const double floor = of_peak * *std::max_element(mean, mean + plane_);
    Values all(terms_ * plane_);
    for (std::size_t k = 0; k < terms_; ++k) {
      for (std::size_t p = 0; p < plane_; ++p) {
        const double deviation =
            (k == 0 ? of_first : of_others) * std::max(mean[p], floor) * triangle_[k * terms_ + k] / of_blurred;
        all[k * plane_ + p] = 1 / (deviation * deviation);
      }
    }
    return all;
  }
  /// Converts planes of the polynomial's terms (p) to planes of the orthogonal terms (q).
  Values orthogonal(const Values& planes) const {
    Values all(terms_ * plane_, 0);  // q = L^T p
    for (std::size_t i = 0; i < terms_; ++i)
      for (std::size_t k = i; k < terms_; ++k)
        for (std::size_t p = 0; p < plane_; ++p)
          all[i * plane_ + p] += triangle_[k * terms_ + i] * planes[k * plane_ + p];
    return all;
  }

  /// Converts a change, given in the orthogonal terms, to the polynomial's terms. Adds the change to `departure` and,
  /// blurred, to the surface.
  void add(const Values& planes, PsfSurface& surface, Values& departure) const {
    Values of_terms = planes;  // p, the solution of L^T p = q
    for (std::size_t i = terms_; i-- > 0;) {
      for (std::size_t k = i + 1; k < terms_; ++k)
        add_scaled(-triangle_[k * terms_ + i], of_terms.data() + k * plane_, plane_, of_terms.data() + i * plane_);
      for (std::size_t p = 0; p < plane_; ++p) of_terms[i * plane_ + p] /= triangle_[i * terms_ + i];
    }
    add_scaled(1, of_terms.data(), of_terms.size(), departure.data());
    add_scaled(1, blur(of_terms).data(), of_terms.size(), surface.planes.data());
  }

 private:
  const std::vector<StarEquations>& stars_;
  const Cpu& where_;
  std::size_t terms_, side_, plane_;
  Values triangle_;
  std::vector<Values> basis_;
};

}  // namespace

void StarEquations::take_out(std::vector<double>& pixels) const {
  for (const std::vector<double>& one : own) {
    double share = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) share += weight[i] * one[i] * pixels[i];
    add_scaled(-share, one.data(), pixels.size(), pixels.data());
  }
}

void improve_surface(const std::vector<StarEquations>& stars, const PsfSurface& usual, double deviation,
                     PsfSurface& surface, std::vector<double>& departure, const Cpu& where) {
  constexpr int rounds = 20;
  const Equations equations(stars, surface, where);
  const Values prior = equations.prior(usual, deviation);
  Values left = equations.right_side(), scale = equations.diagonal(), sum(left.size(), 0);
  const Values moved = equations.orthogonal(departure);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] -= prior[i] * moved[i];
    scale[i] = 1 / (scale[i] + prior[i]);
  }
  Values direction(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) direction[i] = scale[i] * left[i];
  double square = dot(left, direction);
  for (int round = 0; round < rounds && square > 0; ++round) {
    Values turned = equations.times(direction);
    for (std::size_t i = 0; i < turned.size(); ++i) turned[i] += prior[i] * direction[i];
    const double step = square / dot(direction, turned);
    add_scaled(step, direction.data(), direction.size(), sum.data());
    add_scaled(-step, turned.data(), turned.size(), left.data());
    double next = 0;
    for (std::size_t i = 0; i < left.size(); ++i) next += left[i] * scale[i] * left[i];
    const double part = next / square;
    for (std::size_t i = 0; i < left.size(); ++i) direction[i] = scale[i] * left[i] + part * direction[i];
    square = next;
  }
  equations.add(sum, surface, departure);
}

}  // namespace srcextract
