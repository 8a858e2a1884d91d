#include "stages/photometry/photometry.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t sources_at_a_time = 32;

PhotometryImage photometry_image(const Image<float, Cpu>& pixels, const Image<float, Cpu>& variance,
                                 const Image<std::int32_t, Cpu>& owners, const Levels& levels,
                                 const WeightsConfig& weights, const Settings& config) {
  PhotometryImage image{.pixels = pixels.pixels.data(),
                        .variance = variance.pixels.data(),
                        .owner = owners.pixels.data(),
                        .width = static_cast<std::int32_t>(pixels.shape.width),
                        .height = static_cast<std::int32_t>(pixels.shape.height),
                        .background = levels.background,
                        .threshold = analysis_level(levels),
                        .mask = config.measurement.mask,
                        .threshold_follows_variance = thresholds_follow_map(config),
                        .analysis = analysis_line(levels)};
  image.least_bad_variance = least_bad_variance(least_bad_variance(weights), levels.noise_scale);
  set_noise(config, image);
  complete_noise(levels, image);
  return image;
}

/// Computes the rows of one family (group of measurements) for a source. The compiler inlines all called functions and
/// compiles the result once for each kind of processor.
template <class One>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void measure_source(const One& family, const HostLanes& lanes,
                                                                const SourceOf<One>& source,
                                                                const PhotometryImage& found_in,
                                                                const PhotometryImage& image, typename One::Row* rows) {
  measure_rows_in(family, lanes, source, found_in, image,
                  [&](int which, const typename One::Row& row) { rows[which] = row; });
}

/// Prefetches the pixels about the source that is measured next. Rows of an image are far apart in memory, so that
/// without prefetching a thread would wait for nearly every row.
void ask_for_pixels(const SourceSums& source, const PhotometryImage& image) {
  constexpr std::int32_t margin = 8, most_rows = 64, line_pixels = 16;
  if (source.ymax - source.ymin > most_rows) return;
  const std::int32_t last_x = std::min(source.xmax + margin, image.width - 1);
  const std::int32_t last_y = std::min(source.ymax + margin, image.height - 1);
  for (std::int32_t y = std::max(source.ymin - margin, 0); y <= last_y; ++y) {
    for (std::int32_t x = std::max(source.xmin - margin, 0); x < last_x + line_pixels; x += line_pixels) {
      const std::int64_t at = image.at(std::min(x, last_x), y);
      __builtin_prefetch(image.pixels + at);
      __builtin_prefetch(image.owner + at);
    }
  }
}

/// The families of a list that are measured.
template <class List>
struct MeasuredFamilies;
template <class... All>
struct MeasuredFamilies<FamilyList<All...>> : std::optional<All>... {
  explicit MeasuredFamilies(const Settings& config) {
    const ColumnChoice choice(config.output.columns);
    const auto add = [&]<class One>(std::optional<One>& family) {
      if (is_measured<One>(choice, config)) family.emplace(config);
    };
    (add(static_cast<std::optional<All>&>(*this)), ...);
  }
  template <class One>
  const std::optional<One>& of() const {
    return *this;
  }
};

/// Measures the sources [begin, end) by one family. Only the first family prefetches the pixels of the sources; later
/// families find these pixels in the cache.
template <class One>
void measure_some(const One& family, const HostLanes& lanes, const PhotometryInput<Cpu>& input,
                  const PhotometryImage& found_in, const PhotometryImage& image, std::int64_t begin, std::int64_t end,
                  bool is_first, Photometry<Cpu>& measured) {
  FamilyRows<typename One::Row, Cpu>& out = measured.of<One>();
  for (std::int64_t i = begin; i < end; ++i) {
    if (is_first && i + 1 < input.sums.size()) ask_for_pixels(input.sums[i + 1], image);
    const Parentage parentage = input.parentage.empty() ? Parentage{} : input.parentage[i];
    const MeasuredSource source{.number = static_cast<std::int32_t>(i + 1),
                                .shape = shape_of(input.sums[i], parentage, image.width, image.height),
                                .found = &input.sums[i],
                                .last_row = parentage.last_row,
                                .local_sky = local_sky_of(measured.of<FrameSkyFamily>().of(i))};
    measure_source(family, lanes, SourceOf<One>(source, measured, i), found_in, image, out.rows.data() + i * out.each);
  }
}

}  // namespace

Image<std::int32_t, Cpu> map_owners(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                    const Buffer<Absorbed, Cpu>* absorbed, bool claims,
                                    const std::shared_ptr<RowMemory>& on_demand) {
  const auto fill_rows = [&runs, &components, absorbed, claims](std::int32_t* owners, std::int64_t begin,
                                                                std::int64_t end) {
    const std::int64_t width = runs.shape.width;
    std::fill(owners + begin * width, owners + end * width, nobodys_pixel);
    for (std::int64_t i = runs.row_begin[begin]; i < runs.row_begin[end]; ++i) {
      const Absorbed of_run = absorbed != nullptr ? (*absorbed)[i] : Absorbed::no;
      if (is_free(of_run) && !claims) continue;
      const Run& run = runs.runs[i];
      std::int32_t* const row = owners + run.y * width;
      std::fill(row + run.begin, row + run.end, owner_of_run(components.label[i], of_run));
    }
  };
  return image_of_rows<std::int32_t>(runs.shape, on_demand, where, fill_rows);
}

void measure_circles(const CircleFamily& family, const HostLanes& lanes, const MeasuredSource& source,
                     const PhotometryImage& image, CircleFlux* rows) {
  measure_source(family, lanes, SourceOf<CircleFamily>(source), image, image, rows);
}

Photometry<Cpu> measure_photometry(const PhotometryInput<Cpu>& input, const Settings& config, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(input.image) && input.image.shape == input.runs.shape);
  SRCEXTRACT_EXPECT(input.variance.pixels.empty() || are_alike(input.image, input.variance));
  SRCEXTRACT_EXPECT(are_in_raster_order(input.runs) && are_labels_of(input.components, input.runs));
  SRCEXTRACT_EXPECT(input.sums.size() == input.components.counts->kept);
  const std::shared_ptr<RowMemory> memory = row_memory_of(input.image);
  const Image<std::int32_t, Cpu> owners =
      map_owners(input.runs, input.components, where, input.absorbed, false, memory);
  PhotometryImage image = photometry_image(input.image, input.variance, owners, *input.levels, config.weights, config);
  if (input.least_variance != nullptr) image.least_variance = input.least_variance->data();
  image.star = input.star;
  image.kernel_rows = input.kernel_rows;
  Image<std::int32_t, Cpu> claims;
  if (FrameSkyFamily::is_known(config) && input.absorbed != nullptr)
    claims = map_owners(input.runs, input.components, where, input.absorbed, true, memory);
  image.claims = claims.pixels.empty() ? image.owner : claims.pixels.data();
  if (input.whole != nullptr) image.saturation -= highest_level(**input.whole);
  const FoundImage<Cpu>* const other = input.found_in;
  const PhotometryImage found_in = other == nullptr ? image
                                                    : photometry_image(other->image, other->variance, owners,
                                                                       *other->levels, other->weights, config);
  const MeasuredFamilies<Families> families(config);
  const std::int64_t count = input.components.counts->kept;
  Photometry<Cpu> measured;
  for_each_family([&]<class One>() {
    if (!families.of<One>()) return;
    auto& out = measured.of<One>();
    out.each = families.of<One>()->rows();
    out.rows = Buffer<typename One::Row, Cpu>(count * out.each, where);
  });
  std::vector<RowsOnDemand*> rows;
  for (RowsOnDemand* const of_one :
       {input.image.rows.get(), input.variance.rows.get(), owners.rows.get(), claims.rows.get(),
        other != nullptr ? other->image.rows.get() : nullptr, other != nullptr ? other->variance.rows.get() : nullptr})
    if (of_one != nullptr && std::ranges::find(rows, of_one) == rows.end()) rows.push_back(of_one);
  // All families are measured for a few sources before the next few sources, so that the sources' pixels stay in the
  // cache.
  parallel_for(count, sources_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    PhotometryRows held(rows, input.image.shape.height);
    const HostLanes lanes(rows.empty() ? nullptr : &held);
    bool is_first = true;
    for_each_family([&]<class One>() {
      if (const std::optional<One>& family = families.of<One>()) {
        measure_some(*family, lanes, input, found_in, image, begin, end, is_first, measured);
        is_first = false;
      }
    });
  });
  return measured;
}

}  // namespace srcextract
