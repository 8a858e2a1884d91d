#include "stages/photometry/photometry.hpp"

#include <algorithm>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Sources that a thread measures at a time.
constexpr std::int64_t sources_at_a_time = 32;

/// The image as apertures need it.
PhotometryImage photometry_image(const Image<float, Cpu>& pixels, const Image<float, Cpu>& variance,
                                 const Image<std::int32_t, Cpu>& owners, const Levels& levels,
                                 const WeightsConfig& weights, const Settings& config) {
  PhotometryImage image{pixels.pixels.data(),
                        variance.pixels.data(),
                        owners.pixels.data(),
                        static_cast<std::int32_t>(pixels.shape.width),
                        static_cast<std::int32_t>(pixels.shape.height),
                        levels.background,
                        analysis_level(levels),
                        config.measurement.mask,
                        thresholds_follow_map(config),
                        analysis_line(levels)};
  image.least_bad_variance = least_bad_variance(least_bad_variance(weights), levels.noise_scale);
  return image;
}

/// Measures the rows of a source. Compiled as a whole for every processor, with all functions that a family calls.
template <class One>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void measure_source(const One& family, const HostLanes& lanes,
                                                                const MeasuredSource& source,
                                                                const PhotometryImage& found_in,
                                                                const PhotometryImage& image, typename One::Row* rows) {
  measure_rows_in(family, lanes, source, found_in, image,
                  [&](int which, const typename One::Row& row) { rows[which] = row; });
}

/// Measures all sources by one family.
template <class One>
void measure_family(const PhotometryInput<Cpu>& input, const PhotometryImage& found_in, const PhotometryImage& image,
                    const One& family, const Photometry<Cpu>& before, FamilyRows<typename One::Row, Cpu>& out,
                    const Cpu& where) {
  const std::int64_t count = input.components.counts->kept;
  out.each = family.rows();
  out.rows = Buffer<typename One::Row, Cpu>(count * out.each, where);
  parallel_for(count, sources_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    const HostLanes lanes;
    for (std::int64_t i = begin; i < end; ++i) {
      const Parentage parentage = input.parentage.empty() ? Parentage{} : input.parentage[i];
      const MeasuredSource source{static_cast<std::int32_t>(i + 1),
                                  shape_of(input.sums[i], parentage, image.width, image.height), &input.sums[i],
                                  before.of<KronFamily>().of(i), before.of<LightRadiusFamily>().of(i)};
      measure_source(family, lanes, source, found_in, image, out.rows.data() + i * out.each);
    }
  });
}

}  // namespace

Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Absorbed, Cpu>* absorbed) {
  constexpr std::int64_t rows_at_a_time = 64;
  Image<std::int32_t, Cpu> owners(runs.shape, where);
  const std::int64_t width = runs.shape.width;
  parallel_for(runs.shape.height, rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    std::fill(owners.pixels.data() + begin * width, owners.pixels.data() + end * width, nobodys_pixel);
    for (std::int64_t i = runs.row_begin[begin]; i < runs.row_begin[end]; ++i) {
      if (absorbed != nullptr && (*absorbed)[i] == Absorbed::free) continue;
      const Run& run = runs.runs[i];
      std::int32_t* const row = owners.pixels.data() + run.y * width;
      std::fill(row + run.begin, row + run.end, owner_of_label(components.label[i]));
    }
  });
  return owners;
}

Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Settings& config, const Cpu& where) {
  const Image<std::int32_t, Cpu> owners = map_owners(input.runs, input.components, where, input.absorbed);
  PhotometryImage image = photometry_image(input.image, input.variance, owners, *input.levels, config.weights, config);
  if (input.least_variance != nullptr) image.least_variance = input.least_variance->data();
  const FoundImage<Cpu>* const other = input.found_in;
  const PhotometryImage found_in = other == nullptr ? image
                                                    : photometry_image(other->image, other->variance, owners,
                                                                       *other->levels, other->weights, config);
  const ColumnChoice choice(config.output.columns);
  Photometry<Cpu> measured;
  for_each_family([&]<class One>() {
    if (choice.needs(One::name))
      measure_family(input, found_in, image, One(config), measured, measured.of<One>(), where);
  });
  return measured;
}

}  // namespace srcextract
