#pragma once

#include <cstdint>
#include <vector>

#include "stages/photometry/photometry.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/psf_tables.hpp"

namespace srcextract::testing {

inline constexpr std::int64_t side = 101;

/// A source with its one run of pixels, which is all that is said of it but its moments.
struct Given {
  Run run;
  double x, y, x2, y2, xy;
};

/// The sums of a source of that centre and those moments.
inline SourceSums sums_of(const Given& given) {
  SourceSums s{};
  const double x = given.x - given.run.begin, y = given.y - given.run.y;
  s.npix = given.run.end - given.run.begin;
  s.v = 7;
  s.vx = 7 * x;
  s.vy = 7 * y;
  s.vxx = 7 * (given.x2 + x * x);
  s.vyy = 7 * (given.y2 + y * y);
  s.vxy = 7 * (given.xy + x * y);
  s.xmin = given.run.begin;
  s.xmax = given.run.end - 1;
  s.ymin = s.ymax = s.ypeak = given.run.y;
  s.xpeak = given.run.begin;
  return s;
}

/// What the stage measures of sources, which stand in raster order, in an image of that side. A run may be of none:
/// then its label is 0.
template <class Where>
Photometry<Where> photometry_of(const Backend<Where>& backend, const std::vector<float>& pixels,
                                const std::vector<Given>& sources, const Settings& config,
                                const std::vector<Run>& of_none = {}, const StarView& star = {}, double sigma = 0) {
  Image<float, Where> image;
  image.shape = {side, side};
  image.pixels = backend.put(pixels);
  const Image<float, Where> no_variance;
  std::vector<Run> runs = of_none;
  std::vector<std::int32_t> labels(of_none.size(), 0);
  std::vector<SourceSums> sums;
  for (const Given& given : sources) {
    runs.push_back(given.run);
    labels.push_back(static_cast<std::int32_t>(sums.size() + 1));
    sums.push_back(sums_of(given));
  }
  std::vector<std::int64_t> row_begin(side + 1, 0);
  for (const Run& run : runs)
    for (std::size_t y = static_cast<std::size_t>(run.y) + 1; y < row_begin.size(); ++y) ++row_begin[y];
  const auto count = std::ssize(sources);
  const Runs<Where> found{{side, side}, backend.put(runs), backend.put(row_begin)};
  const Components<Where> components{backend.put(labels), backend.put_value(ComponentCounts{count, count})};
  Levels known;
  known.detection = 1;
  known.sigma = sigma;
  const auto levels = backend.put_value(known);
  const HandedPsf<Where> psf(backend, config);
  const Buffer<SourceSums, Where> of_sources = backend.put(sums);
  const Buffer<Parentage, Where> parentage;
  PhotometryInput<Where> input{image, no_variance, levels, found, components, of_sources, parentage};
  input.star = star;
  input.numbers = psf.numbers;
  return measure_photometry(input, config, backend.where());
}

}  // namespace srcextract::testing
