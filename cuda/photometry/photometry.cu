#include "stages/photometry/photometry.hpp"

#include <algorithm>
#include <type_traits>

#include "cuda/device/launch.hpp"
#include "cuda/photometry/largest_first.hpp"
#include "cuda/photometry/warp_lanes.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Number of warps and of threads of a block. Sources differ in size by a factor of a thousand, and the next block
/// starts only when all warps of a block are done. So blocks are small, and more blocks are launched than run at the
/// same time.
constexpr int block_warps = 2, family_threads = block_warps * warp_size;
constexpr std::int64_t most_family_blocks = 128;  ///< largest number of blocks of a launch, per multiprocessor

/// Number of warps of a block that measures one large source together, for families (kinds of photometry) that can
/// divide a source. A single warp would take longer for such a source than the device for all other sources.
constexpr int large_source_warps = 8;
template <class One>
constexpr bool has_large_sources = requires(const SourceOf<One>& source) {
  One::is_large(source);
};

/// Number of blocks of a family's kernel that must fit on a multiprocessor at the same time. The compiler limits the
/// registers per thread accordingly. Families with fewer blocks here, such as windows and radii, would be slower with
/// fewer registers.
template <class One>
constexpr int least_family_blocks = 16;
template <>
constexpr int least_family_blocks<LightRadiusFamily> = 6;
template <>
constexpr int least_family_blocks<WindowFamily> = 10;

/// StarFamily for a difference image, whose stars have the profile that the kernel fit gives, without the code for a
/// PSF from a file. A kernel for each of the two kinds needs fewer registers than a common kernel.
struct StarsByProfile : StarFamily {
  template <class Lanes>
  __device__ StarLight measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                               int) const {
    return measure_by_profile(lanes, source, image);
  }
};
struct StarsByPsf : StarFamily {
  template <class Lanes>
  __device__ StarLight measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                               int) const {
    return measure_by_psf(lanes, source, image);
  }
};
template <>
constexpr int least_family_blocks<StarsByProfile> = 6;
template <>
constexpr int least_family_blocks<StarsByPsf> = 6;
template <>
constexpr int least_family_blocks<SpreadFamily> = 6;

/// CircleFamily with sub-pixels only. Exact areas need more registers, so each of the two kinds has its own kernel.
struct CirclesBySubPixels : CircleFamily {
  template <class Lanes>
  __device__ CircleFlux measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                int which) const {
    return measure_by_sub_pixels(lanes, source, image, which);
  }
};
struct CirclesByArea : CircleFamily {
  template <class Lanes>
  __device__ CircleFlux measure(const Lanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                                int which) const {
    return measure_by_area(lanes, source, image, which);
  }
};
template <>
constexpr int least_family_blocks<CirclesByArea> = 8;

/// Writes the owner of each run (owner_of_run) to the run's pixels, with one thread per run. Skips runs that CLEAN has
/// released (is_free), unless `claims`.
__global__ void paint_owners_kernel(const Run* runs, ItemCount items, const std::int32_t* label,
                                    const Absorbed* absorbed, bool claims, std::int64_t width, std::int32_t* owner) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const Absorbed of_run = absorbed != nullptr ? absorbed[i] : Absorbed::no;
    if (is_free(of_run) && !claims) continue;
    const Run run = runs[i];
    const std::int32_t own = owner_of_run(label[i], of_run);
    for (std::int32_t x = run.begin; x < run.end; ++x) owner[run.y * width + x] = own;
  }
}

/// Results of one family in device memory, as kernels read them; `each` rows per source.
template <class One>
struct ResultRows {
  const typename One::Row* rows;
  int each;

  __device__ const typename One::Row* of(std::int64_t source) const { return rows + source * each; }
};

/// Results of the families of a list, all of which have been measured.
template <class List>
struct ResultsOfEach;
template <class... Used>
struct ResultsOfEach<FamilyList<Used...>> : ResultRows<Used>... {
  explicit ResultsOfEach(const Photometry<Gpu>& measured)
      : ResultRows<Used>{measured.of<Used>().rows.data(), measured.of<Used>().each}... {}

  template <class One>
  __device__ const ResultRows<One>& of() const {
    return *this;
  }
};

/// The sources of an image, as kernels read them, with the results of the families in the list Uses; at most as many
/// sources as the buffers hold.
template <class Uses>
struct SourceTable {
  const std::int32_t* order;  ///< indices of the sources in the order in which they are measured
  const SourceSums* sums;
  const Parentage* parentage;  ///< null if sources were not deblended
  const FrameSky* local_sky;   ///< null if not measured
  ResultsOfEach<Uses> results;
  ItemCount items;

  /// Returns source k without its shape, but with the results of families measured before.
  __device__ SourceWith<Uses> measured_before(std::int64_t k) const {
    const MeasuredSource source{.number = static_cast<std::int32_t>(k + 1),
                                .shape = {},
                                .found = sums + k,
                                .last_row = parentage != nullptr ? parentage[k].last_row : -1,
                                .local_sky = local_sky_of(local_sky != nullptr ? local_sky + k : nullptr)};
    return SourceWith<Uses>(source, results, k);
  }
  __device__ SourceWith<Uses> at(std::int64_t k, const PhotometryImage& image) const {
    SourceWith<Uses> source = measured_before(k);
    source.shape = shape_of(sums[k], parentage != nullptr ? parentage[k] : Parentage{}, image.width, image.height);
    return source;
  }
};

/// An image whose background, thresholds and noise are in device memory; known() returns the image with these values.
struct LevelledImage {
  PhotometryImage image;
  const Levels* levels;
  const Background* whole = nullptr;  ///< from PhotometryInput::whole; may be null

  __device__ PhotometryImage known() const {
    PhotometryImage all = image;
    all.background = levels->background;
    all.threshold = analysis_level(*levels);
    all.analysis = analysis_line(*levels);
    all.least_bad_variance = least_bad_variance(image.least_bad_variance, levels->noise_scale);
    complete_noise(*levels, all);
    if (whole != nullptr) all.saturation -= highest_level(*whole);
    return all;
  }
};

/// Measures row `which` of source k, or all rows of source k if the family computes them together.
template <class One, bool elsewhere, class Lanes>
__device__ void measure_source(const Lanes& lanes, const One& family, const LevelledImage& measured,
                               const LevelledImage& found_in, const SourceTable<UsesOf<One>>& sources, std::int64_t k,
                               int which, typename One::Row* rows) {
  const PhotometryImage image = measured.known();
  const int each = family.rows();
  const SourceOf<One> source = sources.at(k, image);
  const auto keep = [&](int row, const typename One::Row& value) {
    if (lanes.is_first()) rows[k * each + row] = value;
  };
  if constexpr (rows_are_together<One>) {
    family.measure_rows(lanes, source, image, keep);
  } else if constexpr (elsewhere) {
    keep(which, measure_row_in(family, lanes, source, found_in.known(), image, which));
  } else {
    keep(which, family.measure(lanes, source, image, which));
  }
}

/// Working memory of the warps of a launch: `each` doubles per warp.
struct Scratch {
  double* memory;
  std::int64_t each;
};

/// Measures all sources except large ones for one family. A warp handles one row of a source at a time, or all its rows
/// if the family computes them together. `found_in` is read only if `elsewhere`, since a kernel that reads two images
/// has fewer free registers.
template <class One, bool elsewhere>
__global__ void __launch_bounds__(family_threads, least_family_blocks<One>)
    measure_family_kernel(One family, LevelledImage measured, LevelledImage found_in, SourceTable<UsesOf<One>> sources,
                          typename One::Row* rows, Scratch scratch) {
  const WarpLanes<block_warps> lanes(scratch.memory + thread_index() / warp_size * scratch.each);
  const int parts = rows_are_together<One> ? 1 : family.rows();
  const std::int64_t count = sources.items() * parts;
  for (std::int64_t i = thread_index() / warp_size; i < count; i += thread_total() / warp_size) {
    const std::int64_t k = sources.order[i / parts];
    if constexpr (has_large_sources<One>)
      if (One::is_large(sources.measured_before(k))) continue;
    measure_source<One, elsewhere>(lanes, family, measured, found_in, sources, k, static_cast<int>(i % parts), rows);
  }
}

/// Lists the large sources, in any order.
template <class One>
__global__ void list_large_kernel(SourceTable<UsesOf<One>> sources, std::int32_t* large, std::int64_t* count) {
  const std::int64_t all = sources.items();
  for (std::int64_t k = thread_index(); k < all; k += thread_total()) {
    if (!One::is_large(sources.measured_before(k))) continue;
    static_assert(sizeof(unsigned long long) == sizeof(*count));
    large[atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ULL)] = static_cast<std::int32_t>(k);
  }
}

template <class One, bool elsewhere>
__global__ void __launch_bounds__(large_source_warps* warp_size)
    measure_large_kernel(One family, LevelledImage measured, LevelledImage found_in, SourceTable<UsesOf<One>> sources,
                         typename One::Row* rows) {
  const BlockLanes<large_source_warps> lanes;
  const std::int64_t count = sources.items();
  for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x)
    measure_source<One, elsewhere>(lanes, family, measured, found_in, sources, sources.order[i], 0, rows);
}

/// Measures the large sources, if the family can divide a source among warps. Such a family has one row per source.
template <class One, bool elsewhere>
void measure_large(const One& family, const LevelledImage& image, const LevelledImage& found_in,
                   SourceTable<UsesOf<One>> sources, typename One::Row* rows, const Gpu& where) {
  if constexpr (has_large_sources<One>) {
    static_assert(!rows_are_together<One>);
    Buffer<std::int32_t, Gpu> large(sources.items.room, where);
    auto count = filled<std::int64_t>(1, 0, where);
    list_large_kernel<One>
        <<<grid_for(sources.items.room, where), block_threads, 0, where.stream>>>(sources, large.data(), count.data());
    sources.order = large.data();
    sources.items = ItemCount{count.data(), sources.items.room};
    const auto blocks =
        static_cast<unsigned int>(std::min<std::int64_t>(sources.items.room, 2 * where.multiprocessors));
    measure_large_kernel<One, elsewhere>
        <<<blocks, large_source_warps * warp_size, 0, where.stream>>>(family, image, found_in, sources, rows);
    check_launch();
  }
}

/// Returns the largest number of blocks of a launch whose warps need `each` doubles of working memory. With working
/// memory, the number is small enough to keep that memory in the cache.
std::int64_t most_blocks(int each, const Gpu& where) {
  constexpr std::int64_t with_scratch = 6, most_bytes = std::int64_t{64} << 20;
  if (each == 0) return most_family_blocks * where.multiprocessors;
  const std::int64_t of_memory = most_bytes / (block_warps * each * static_cast<std::int64_t>(sizeof(double)));
  return std::clamp<std::int64_t>(of_memory, 1, with_scratch * where.multiprocessors);
}

/// Sets the address in device memory of those numbers from files that the family needs.
template <class One>
void take_numbers(std::span<const HandedNumbers> numbers, One& family) {
  if constexpr (requires { family.take_numbers(nullptr); })
    for (const HandedNumbers& one : numbers)
      if (one.key == One::numbers_key) family.take_numbers(one.at);
}

}  // namespace

Image<std::int32_t, Gpu> map_owners(const Runs<Gpu>& runs, const Components<Gpu>& components, const Gpu& where,
                                    const Buffer<Absorbed, Gpu>* absorbed, bool claims) {
  Image<std::int32_t, Gpu> owners;
  owners.shape = runs.shape;
  owners.pixels = filled<std::int32_t>(runs.shape.count(), 0, where);
  static_assert(nobodys_pixel == 0);
  const std::int64_t most = runs.runs.size();
  if (most == 0) return owners;
  paint_owners_kernel<<<grid_for(most, where), block_threads, 0, where.stream>>>(
      runs.runs.data(), items_of(runs), components.label.data(), absorbed != nullptr ? absorbed->data() : nullptr,
      claims, runs.shape.width, owners.pixels.data());
  check_launch();
  return owners;
}

Photometry<Gpu> measure_photometry(const PhotometryInput<Gpu>& input, const Settings& config, const Gpu& where) {
  const Image<std::int32_t, Gpu> owners = map_owners(input.runs, input.components, where, input.absorbed);
  const auto levelled = [&](const Image<float, Gpu>& pixels, const Image<float, Gpu>& variance,
                            const Value<Levels, Gpu>& levels, const WeightsConfig& weights) {
    LevelledImage image{.image = {.pixels = pixels.pixels.data(),
                                  .variance = variance.pixels.data(),
                                  .owner = owners.pixels.data(),
                                  .width = static_cast<std::int32_t>(pixels.shape.width),
                                  .height = static_cast<std::int32_t>(pixels.shape.height),
                                  .background = 0,
                                  .threshold = 0,
                                  .mask = config.measurement.mask,
                                  .threshold_follows_variance = thresholds_follow_map(config)},
                        .levels = levels.data()};
    image.image.least_bad_variance = least_bad_variance(weights);
    set_noise(config, image.image);
    return image;
  };
  LevelledImage image = levelled(input.image, input.variance, input.levels, config.weights);
  if (input.least_variance != nullptr) image.image.least_variance = input.least_variance->data();
  image.image.star = input.star;
  image.image.kernel_rows = input.kernel_rows;
  Image<std::int32_t, Gpu> claims;
  if (FrameSkyFamily::is_known(config) && input.absorbed != nullptr)
    claims = map_owners(input.runs, input.components, where, input.absorbed, true);
  image.image.claims = claims.pixels.empty() ? owners.pixels.data() : claims.pixels.data();
  image.whole = input.whole != nullptr ? input.whole->data() : nullptr;
  const FoundImage<Gpu>* const other = input.found_in;
  const LevelledImage found_in =
      other == nullptr ? image : levelled(other->image, other->variance, other->levels, other->weights);
  const ColumnChoice choice(config.output.columns);
  const std::int64_t room = input.sums.size();
  const ItemCount items{&input.components.counts.data()->kept, room};
  Buffer<std::int32_t, Gpu> order;
  Photometry<Gpu> measured;
  for_each_family([&]<class One>() {
    if (!is_measured<One>(choice, config)) return;
    One family(config);
    take_numbers(input.numbers, family);
    auto& out = measured.of<One>();
    out.each = family.rows();
    if (room == 0) return;
    out.rows = Buffer<typename One::Row, Gpu>(room * out.each, where);
    if (order.empty()) order = largest_first(input.sums.data(), items, where);
    const SourceTable<UsesOf<One>> sources{.order = order.data(),
                                           .sums = input.sums.data(),
                                           .parentage = input.parentage.data(),
                                           .local_sky = measured.of<FrameSkyFamily>().rows.data(),
                                           .results = ResultsOfEach<UsesOf<One>>(measured),
                                           .items = items};
    const std::int64_t parts = rows_are_together<One> ? room : room * out.each;
    const int each = scratch_of(family);
    const auto blocks =
        static_cast<unsigned int>(std::min((parts + block_warps - 1) / block_warps, most_blocks(each, where)));
    Buffer<double, Gpu> memory(std::int64_t{blocks} * block_warps * each, where);
    const Scratch scratch{memory.data(), each};
    const auto launch = [&]<bool elsewhere, class Kind>(const Kind& kind) {
      measure_large<Kind, elsewhere>(kind, image, found_in, sources, out.rows.data(), where);
      measure_family_kernel<Kind, elsewhere>
          <<<blocks, family_threads, 0, where.stream>>>(kind, image, found_in, sources, out.rows.data(), scratch);
    };
    constexpr bool looks = looks_at_both<One, WarpLanes<block_warps>>;
    if constexpr (std::is_same_v<One, CircleFamily>) {
      if (family.is_exact)
        launch.template operator()<false>(CirclesByArea{family});
      else
        launch.template operator()<false>(CirclesBySubPixels{family});
    } else if constexpr (std::is_same_v<One, StarFamily>) {
      if (family.psf.known())
        launch.template operator()<false>(StarsByPsf{family});
      else
        launch.template operator()<false>(StarsByProfile{family});
    } else if (looks && other != nullptr) {
      launch.template operator()<looks>(family);
    } else {
      launch.template operator()<false>(family);
    }
    check_launch();
  });
  return measured;
}

}  // namespace srcextract
