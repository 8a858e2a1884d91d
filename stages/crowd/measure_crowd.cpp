#include "stages/crowd/measure_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Neighbours of a star that count in its errors.
std::vector<std::int32_t> choose_neighbours(const CrowdEquations& of, const std::vector<CrowdStar>& stars,
                                            std::size_t own, double reach) {
  constexpr std::size_t most = 20;
  struct Near {
    double distance;
    std::int32_t number;
  };
  std::vector<Near> near;
  for (auto k = static_cast<std::size_t>(of.row[own]); k < static_cast<std::size_t>(of.row[own + 1]); ++k) {
    const auto other = static_cast<std::size_t>(of.partner[k]);
    if (other == own) continue;
    const double dx = stars[other].x - stars[own].x, dy = stars[other].y - stars[own].y;
    if (dx * dx + dy * dy <= reach * reach) near.push_back({dx * dx + dy * dy, of.partner[k]});
  }
  std::ranges::stable_sort(near, {}, &Near::distance);
  if (near.size() > most) near.resize(most);
  std::vector<std::int32_t> numbers;
  for (const Near& one : near) numbers.push_back(one.number);
  return numbers;
}

/// A triangle of a symmetric matrix, row by row, divided by Cholesky's rule in place. A pivot that is lost in rounding
/// leaves its unknown out.
void divide(std::vector<double>& a, std::size_t n) {
  constexpr double least_pivot = 1e-10;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
      if (j < i)
        a[i * n + j] = a[j * n + j] > 0 ? sum / a[j * n + j] : 0;
      else
        a[i * n + i] = sum > least_pivot * a[i * n + i] ? std::sqrt(sum) : 0;
    }
  }
}

/// Errors of the star, by the equations of it and its neighbours, with what holds the steps of neighbours back.
void find_errors(const CrowdEquations& of, const std::vector<CrowdStar>& stars, std::size_t own, double reach,
                 CrowdRow& row) {
  std::vector<std::int32_t> chosen = choose_neighbours(of, stars, own, reach);
  chosen.push_back(static_cast<std::int32_t>(own));  // the last: its inverse is that of the last corner
  const std::size_t n = 3 * chosen.size();
  std::vector<double> a(n * n, 0.0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto star = static_cast<std::size_t>(chosen[i]);
    const auto first = of.partner.begin() + of.row[star], last = of.partner.begin() + of.row[star + 1];
    for (std::size_t j = 0; j <= i; ++j) {
      const auto there = std::lower_bound(first, last, chosen[j]);
      if (there == last || *there != chosen[j]) continue;
      const double* const block = of.block.data() + 9 * (there - of.partner.begin());
      for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t q = 0; q < 3; ++q) a[(3 * i + p) * n + 3 * j + q] = block[3 * p + q];
    }
    for (std::size_t p = 1; p < 3; ++p) a[(3 * i + p) * n + 3 * i + p] += held_step(stars[star].flux);
  }
  divide(a, n);
  const double* const corner = a.data() + (n - 3) * n + (n - 3);
  const double l00 = corner[0], l10 = corner[n], l11 = corner[n + 1], l20 = corner[2 * n], l21 = corner[2 * n + 1],
               l22 = corner[2 * n + 2];
  row.variance = row.xx = row.yy = row.xy = not_known;
  if (!(l00 > 0 && l11 > 0 && l22 > 0)) return;
  const double m22 = 1 / l22, m11 = 1 / l11, m21 = -l21 * m11 * m22, m00 = 1 / l00, m10 = -l10 * m00 * m11,
               m20 = -(l20 * m00 + l21 * m10) * m22;
  row.variance = m00 * m00 + m10 * m10 + m20 * m20;
  const double square = row.flux * row.flux;
  if (!(square > 0)) return;
  row.xx = (m11 * m11 + m21 * m21) / square;
  row.yy = m22 * m22 / square;
  row.xy = m21 * m22 / square;
}

/// Sums over the pixels of a stamp.
struct StampSums {
  double all = 0, good = 0;                                  // of the PSF
  double chi = 0, own = 0, whole = 0;                        // of the PSF times residual squared, own light, all light
  double wide_light = 0, light = 0, mixed = 0, squares = 0;  // as in SpreadFamily
  double wide_noise = 0, noise = 0, mixed_noise = 0;
  bool cut = false, masked = false, saturated = false;
};

StampSums sum_stamp(const CrowdField& field, const CrowdStamp& stamp, const float* wide, double flux, double core) {
  StampSums s;
  for (std::int64_t j = 0; j < stamp.side(); ++j) {
    for (std::int64_t i = 0; i < stamp.side(); ++i) {
      const std::int64_t dx = i - stamp.half, dy = j - stamp.half, x = stamp.x + dx, y = stamp.y + dy;
      const auto p = static_cast<double>(stamp.numbers[stamp.place(i, j)]),
                 g = static_cast<double>(wide[stamp.place(i, j)]);
      s.all += p;
      const bool in_core = static_cast<double>(dx * dx + dy * dy) <= core * core;
      if (x < 0 || y < 0 || x >= field.shape().width || y >= field.shape().height) {
        s.cut = s.cut || in_core;
        continue;
      }
      const std::int64_t at = y * field.shape().width + x;
      if (!field.is_good(at)) {
        if (in_core) (field.is_saturated(at) ? s.saturated : s.masked) = true;
        continue;
      }
      const auto pixel = static_cast<std::size_t>(at);
      const auto left = static_cast<double>(field.residual[pixel]), weight = static_cast<double>(field.weight[pixel]);
      const double own = left + flux * p, variance = 1 / weight;
      s.good += p;
      s.chi += p * weight * left * left;
      s.own += p * own;
      s.whole += p * (left + static_cast<double>(field.model[pixel]));
      s.wide_light += g * own;
      s.light += p * own;
      s.mixed += p * g;
      s.squares += p * p;
      s.wide_noise += g * g * variance;
      s.noise += p * p * variance;
      s.mixed_noise += p * g * variance;
    }
  }
  return s;
}

void describe(const StampSums& s, CrowdRow& row) {
  row.chi2 = s.good > 0 ? s.chi / s.good : not_known;
  row.share = s.whole > 0 ? s.own / s.whole : not_known;
  row.quality = s.all > 0 ? s.good / s.all : 0;
  row.spread = 1;
  row.spread_variance = 1;
  const double d = s.light, e = s.wide_light;
  if (d > 0 && s.squares > 0) {
    row.spread = e / d - s.mixed / s.squares;
    const double variance = s.wide_noise * d * d + s.noise * e * e - 2 * s.mixed_noise * d * e;
    if (variance > 0) row.spread_variance = variance / (d * d * d * d);
  }
  if (!(s.good > 0)) row.flux = row.variance = not_known;  // no pixel of it counts
  if (!(row.share > 0.5)) row.flags |= flag::crowded;
  if (s.cut) row.flags |= flag::at_edge;
  if (s.masked) row.flags |= flag::masked_pixels;
  if (s.saturated) row.flags |= flag::saturated;
}

}  // namespace

std::vector<CrowdRow> measure_crowd(const CrowdField& field, const CrowdPsf& psf, const CrowdEquations& equations,
                                    const std::vector<CrowdStar>& stars) {
  constexpr std::int64_t measured_at_a_time = 32;
  std::vector<CrowdRow> rows(stars.size());
  parallel_for(std::ssize(stars), measured_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    CrowdPsf::Scratch scratch;
    std::vector<float> wide;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const CrowdStar& star = stars[i];
      const CrowdStamp& stamp = field.stamps()[i];
      CrowdRow& row = rows[i];
      row.x = star.x;
      row.y = star.y;
      row.flux = star.flux;
      row.turn = star.turn;
      row.flags = star.flags;
      row.completeness = row.confusion = not_known;
      row.sky = field.sky.at(star.x, star.y);
      find_errors(equations, stars, i, 2 * psf.fwhm(), row);
      wide.resize(static_cast<std::size_t>(CrowdPsf::numbers_for(stamp.half)));
      psf.draw(star.x, star.y, stamp.half, false, wide.data(), scratch, CrowdPsf::Planes::spread);
      describe(sum_stamp(field, stamp, wide.data(), star.flux, psf.fwhm()), row);
    }
  });
  return rows;
}

}  // namespace srcextract
