#include "stages/galaxy/psf_spectra.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stages/core/vector_clones.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

using std::numbers::pi;

/// e^(-i 2π turns).
CosineSine turned_back(double turns) {
  const double rest = turns - std::floor(turns + 0.5);
  const CosineSine turn = portable_cosine_sine(2 * pi * rest);
  return {turn.cosine, -turn.sine};
}

SRCEXTRACT_VECTOR_CLONES void add_turned(const double* turn_re, const double* turn_im, double re, double im, int count,
                                         double* to_re, double* to_im) {
  for (int i = 0; i < count; ++i) {
    to_re[i] += turn_re[i] * re - turn_im[i] * im;
    to_im[i] += turn_re[i] * im + turn_im[i] * re;
  }
}

SRCEXTRACT_VECTOR_CLONES void add_scaled_plane(const float* plane, float by, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += by * plane[i];
}

/// The transform of a plane of the PSF, for a from -farthest to farthest and b from 0 to farthest.
class PlaneTransform {
 public:
  PlaneTransform(const PsfModel& psf, const double* plane, int side, int farthest, double limit)
      : farthest_(farthest), re_(size(), 0.0), im_(size(), 0.0) {
    const int columns = psf.columns, rows = psf.rows, count = farthest + 1;
    // Turns of the rows, for all b.
    std::vector<double> turn_re(static_cast<std::size_t>(rows) * count), turn_im(turn_re.size());
    for (int row = 0; row < rows; ++row) {
      for (int b = 0; b < count; ++b) {
        const CosineSine turn = turned_back((row - psf.middle_y()) * psf.step * b / side);
        turn_re[static_cast<std::size_t>(row) * count + b] = turn.cosine;
        turn_im[static_cast<std::size_t>(row) * count + b] = turn.sine;
      }
    }
    std::vector<double> line_re(rows), line_im(rows);
    for (int a = -farthest; a <= farthest; ++a) {
      std::fill(line_re.begin(), line_re.end(), 0.0);
      std::fill(line_im.begin(), line_im.end(), 0.0);
      for (int column = 0; column < columns; ++column) {
        const CosineSine turn = turned_back((column - psf.middle_x()) * psf.step * a / side);
        const double* const from = plane + static_cast<std::int64_t>(column) * rows;
        for (int row = 0; row < rows; ++row) {
          line_re[row] += turn.cosine * from[row];
          line_im[row] += turn.sine * from[row];
        }
      }
      const double most_b = std::sqrt(std::max(limit * limit - static_cast<double>(a) * a, 0.0));
      const int needed = std::min(count, static_cast<int>(most_b) + 1);
      const double area = psf.step * psf.step;
      for (int row = 0; row < rows; ++row) {
        const std::size_t of_row = static_cast<std::size_t>(row) * count;
        add_turned(turn_re.data() + of_row, turn_im.data() + of_row, line_re[row] * area, line_im[row] * area, needed,
                   re_.data() + at(a, 0), im_.data() + at(a, 0));
      }
    }
  }

  double re(int a, int b) const { return b < 0 ? re_[at(-a, -b)] : re_[at(a, b)]; }
  double im(int a, int b) const { return b < 0 ? -im_[at(-a, -b)] : im_[at(a, b)]; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(2 * farthest_ + 1) * (farthest_ + 1); }
  std::size_t at(int a, int b) const { return static_cast<std::size_t>(a + farthest_) * (farthest_ + 1) + b; }

  int farthest_;
  std::vector<double> re_, im_;
};

/// Which modes are kept: |b| up to a width for each |a|, so that the set has the symmetries of a square.
class KeptModes {
 public:
  KeptModes(const std::vector<PlaneTransform>& planes, const std::vector<std::vector<double>>& places, int farthest,
            double limit)
      : widths_(static_cast<std::size_t>(farthest) + 1, -1) {
    for (int a = -farthest; a <= farthest; ++a) {
      int& width = widths_[std::abs(a)];
      for (int b = farthest; b > width; --b) {
        if (static_cast<double>(a) * a + static_cast<double>(b) * b > limit * limit) continue;
        if (std::ranges::any_of(places, [&](const auto& terms) { return is_bright(planes, terms, a, b); })) width = b;
      }
    }
  }

  bool has(int a, int b) const {
    return std::abs(a) < static_cast<int>(widths_.size()) && std::abs(b) <= widths_[std::abs(a)];
  }

 private:
  static bool is_bright(const std::vector<PlaneTransform>& planes, const std::vector<double>& terms, int a, int b) {
    double re = 0, im = 0, sum = 0;
    for (std::size_t c = 0; c < planes.size(); ++c) {
      re += terms[c] * planes[c].re(a, b);
      im += terms[c] * planes[c].im(a, b);
      sum += terms[c] * planes[c].re(0, 0);
    }
    const double faintest = PsfSpectra::faintest * sum;
    return re * re + im * im > faintest * faintest;
  }

  std::vector<int> widths_;
};

/// Terms of the PSF's polynomial in the middle of its range, and around it.
std::vector<std::vector<double>> places_of(const PsfModel& psf) {
  constexpr double around = 0.7;
  std::vector<std::vector<double>> places;
  int count = 1;
  for (int d = 0; d < psf.dimensions; ++d) count *= 3;
  for (int i = 0; i < count; ++i) {
    std::vector<double> terms;
    for (int c = 0; c < psf.terms; ++c) {
      double product = 1;
      for (int d = 0, rest = i; d < psf.dimensions; ++d, rest /= 3) {
        const double t = psf.scale[d] != 0 ? around * (rest % 3 - 1) : 0;
        const int power = static_cast<int>(psf.exponents()[c * PsfModel::most_dimensions + d]);
        for (int k = 0; k < power; ++k) product *= t;
      }
      terms.push_back(product);
    }
    places.push_back(std::move(terms));
  }
  return places;
}

PsfMoments moments_of(const PsfModel& psf, const double* plane) {
  PsfMoments moments;
  const double area = psf.step * psf.step;
  for (int column = 0; column < psf.columns; ++column) {
    for (int row = 0; row < psf.rows; ++row) {
      const double value = area * plane[static_cast<std::int64_t>(column) * psf.rows + row];
      const double x = (column - psf.middle_x()) * psf.step, y = (row - psf.middle_y()) * psf.step;
      moments.xx += value * x * x;
      moments.xy += value * x * y;
      moments.yy += value * y * y;
      moments.sum += value;
    }
  }
  return moments;
}

}  // namespace

PsfSpectra::PsfSpectra(const PsfModel& psf, int side)
    : transform_(side), wrap_(side), polynomial_(psf.numbers, psf.light()), model_(psf) {
  model_.numbers = polynomial_.data();
  // The transform of a pixel has its second zero at |k| = 4π; nothing measurable is beyond 3π.
  const double limit = std::min(pi / psf.step, 3 * pi) * side / (2 * pi);
  farthest_ = static_cast<int>(limit);

  std::vector<PlaneTransform> planes;
  for (int c = 0; c < psf.terms; ++c) {
    const double* const plane = psf.light() + std::int64_t{c} * psf.plane();
    planes.emplace_back(psf, plane, side, farthest_, limit);
    plane_moments_.push_back(moments_of(psf, plane));
  }
  const KeptModes kept(planes, places_of(psf), farthest_, limit);

  const int half = side / 2, turns = farthest_ / side + 1;
  for (int group = 0; group < side * half / 8; ++group) {
    begins_.push_back(static_cast<std::int32_t>(aliases_.size()));
    const int row = group * 8 / half, column = group * 8 % half;
    for (int a = row - turns * side; a <= farthest_; a += side) {
      for (int turn = 0; turn <= turns; ++turn) {
        for (const int b : {column + turn * side, column - (turn + 1) * side}) {
          // The order is b = c, c - side, c + side, c - 2 side ...
          bool any = false;
          for (int i = 0; i < 8; ++i) any = any || kept.has(a, b + i);
          if (any) aliases_.push_back({a, b});
        }
      }
    }
  }
  const std::size_t usual = aliases_.size();
  for (int group = 0; group < side / 8; ++group) {
    begins_.push_back(static_cast<std::int32_t>(aliases_.size()));
    for (int b = half - (turns + 1) * side; b <= farthest_; b += side) {
      for (int a = 8 * group - (turns + 1) * side; a <= farthest_; a += side) {
        bool any = false;
        for (int i = 0; i < 8; ++i) any = any || kept.has(a + i, b);
        if (any) aliases_.push_back({a, b});
      }
    }
  }
  begins_.push_back(static_cast<std::int32_t>(aliases_.size()));

  for (const PlaneTransform& plane : planes) {
    planes_.emplace_back(aliases_.size() * alias_numbers);
    float* to = planes_.back().data();
    for (std::size_t i = 0; i < aliases_.size(); ++i, to += alias_numbers) {
      for (int lane = 0; lane < 8; ++lane) {
        const int a = aliases_[i].a + (i < usual ? 0 : lane), b = aliases_[i].b + (i < usual ? lane : 0);
        if (!kept.has(a, b)) continue;
        const double area = static_cast<double>(side) * side;
        to[lane] = static_cast<float>(plane.re(a, b) / area);
        to[8 + lane] = static_cast<float>(plane.im(a, b) / area);
      }
    }
  }
}

void PsfSpectra::find_terms(double x, double y, double* terms) const {
  for (int c = 0; c < model_.terms; ++c) terms[c] = model_.term(c, x, y);
}

void PsfSpectra::place(double x, double y, float* transform) const {
  double terms[PsfModel::most_terms];
  find_terms(x, y, terms);
  const std::size_t count = aliases_.size() * alias_numbers;
  std::fill_n(transform, count, 0.0F);
  for (std::size_t c = 0; c < planes_.size(); ++c) {
    add_scaled_plane(planes_[c].data(), static_cast<float>(terms[c]), count, transform);
  }
}

PsfMoments PsfSpectra::moments(double x, double y) const {
  double terms[PsfModel::most_terms];
  find_terms(x, y, terms);
  PsfMoments sum;
  for (std::size_t c = 0; c < plane_moments_.size(); ++c) {
    sum.xx += terms[c] * plane_moments_[c].xx;
    sum.xy += terms[c] * plane_moments_[c].xy;
    sum.yy += terms[c] * plane_moments_[c].yy;
    sum.sum += terms[c] * plane_moments_[c].sum;
  }
  return sum;
}

std::shared_ptr<const PsfSpectra> make_psf_spectra(const PsfModel& psf, int side) {
  return std::make_shared<PsfSpectra>(psf, side);
}

}  // namespace srcextract
