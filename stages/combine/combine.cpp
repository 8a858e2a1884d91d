#include "stages/combine/combine.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stages/combine/combine_pixel.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/math/merge_exchange.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t grain_pixels = std::int64_t{1} << 16;

/// Number of pixels that are summed over all planes before the next pixels, so that the sums stay in the first-level
/// cache.
constexpr int chunk_pixels = 1024;

/// Number of pixels whose medians are computed together, one per vector lane. Their keys take about 16 kB: up to 65
/// keys of 4 bytes for each pixel.
constexpr int lanes = 64;

using Planes = std::vector<const float*>;

template <bool squares>
SRCEXTRACT_VECTOR_CLONES void add_plane(const float* pixels, int count, PlaneWeight plane, double* sums) {
  for (int i = 0; i < count; ++i) sums[i] += contribution<squares>(pixels[i], plane);
}

/// Rounds sums to float. Returns true if all results are finite.
SRCEXTRACT_VECTOR_CLONES
bool round_sums(const double* sums, int count, float* out) {
  int finite = 0;
  for (int i = 0; i < count; ++i) {
    out[i] = static_cast<float>(sums[i]);
    finite += is_finite(out[i]) ? 1 : 0;
  }
  return finite == count;
}

/// Combines at most chunk_pixels pixels, from number `first` on, by a weighted sum over all planes. Returns the number
/// of results that overflow a float.
template <bool squares>
std::int64_t sum_chunk(const Planes& planes, const PlaneWeights& weights, std::int64_t first, int count, float* out) {
  double sums[chunk_pixels] = {};
  for (std::size_t i = 0; i < planes.size(); ++i) {
    add_plane<squares>(planes[i] + first, count, weights.planes[i], sums);
  }
  std::int64_t infinite = 0;
  if (round_sums(sums, count, out)) return infinite;
  for (int j = 0; j < count; ++j) {
    if (is_finite(out[j])) continue;
    const auto value_of = [&](int i) { return planes[static_cast<std::size_t>(i)][first + j]; };
    out[j] = combine_good<squares>(value_of, static_cast<int>(planes.size()), weights, infinite);
  }
  return infinite;
}

/// Combines the pixels [begin, end) by weighted sums. Returns the number of results that overflow a float.
template <bool squares>
std::int64_t sum_planes(const Planes& planes, const PlaneWeights& weights, std::int64_t begin, std::int64_t end,
                        float* out) {
  std::int64_t infinite = 0;
  for (std::int64_t first = begin; first < end; first += chunk_pixels) {
    const auto count = static_cast<int>(std::min<std::int64_t>(chunk_pixels, end - first));
    infinite += sum_chunk<squares>(planes, weights, first, count, out + first);
  }
  return infinite;
}

/// Sort keys of `lanes` pixels: keys[i][j] is the key of pixel j in plane i.
using Keys = std::int32_t[most_planes + 1][lanes];

struct Comparator {
  int low;
  int high;
};

/// A sorting network: the comparisons of rows of Keys that sort each column. The number of rows is odd, so there is one
/// row more than planes if the number of planes is even.
struct Network {
  explicit Network(std::size_t planes) : rows(static_cast<int>(planes | 1)) {
    merge_exchange(rows, [&](int low, int high) { comparators.push_back({low, high}); });
  }

  int rows;
  std::vector<Comparator> comparators;
};

/// Computes the keys of `count` pixels, from number `first` on, in all planes. If there is one plane fewer than `rows`,
/// the last row counts as masked. Sets ends[j] to the last value of `end` in column j (see spread_if_masked).
SRCEXTRACT_VECTOR_CLONES
void make_keys(const Planes& planes, std::int64_t first, int count, int rows, Keys& keys, std::int32_t* ends) {
  for (int j = 0; j < lanes; ++j) ends[j] = largest_key;
  for (int i = 0; i < rows; ++i) {
    const bool given = i < static_cast<int>(planes.size());
    const float* pixels = given ? planes[static_cast<std::size_t>(i)] + first : nullptr;
    const int known = given ? count : 0;
    for (int j = 0; j < known; ++j) keys[i][j] = signed_key(pixels[j]);
    for (int j = known; j < lanes; ++j) keys[i][j] = masked_key;
    for (int j = 0; j < lanes; ++j) keys[i][j] = spread_if_masked(keys[i][j], ends[j]);
  }
}

SRCEXTRACT_VECTOR_CLONES
void sort_columns(const Network& network, Keys& keys) {
  for (const auto [low, high] : network.comparators) {
    for (int j = 0; j < lanes; ++j) {
      const std::int32_t a = keys[low][j];
      const std::int32_t b = keys[high][j];
      keys[low][j] = std::min(a, b);
      keys[high][j] = std::max(a, b);
    }
  }
}

SRCEXTRACT_VECTOR_CLONES
void write_medians(const std::int32_t* before, const std::int32_t* middle, const std::int32_t* ends, int count,
                   float* out) {
  for (int j = 0; j < count; ++j) out[j] = median_of(before[j], middle[j], ends[j]);
}

void find_medians(const Planes& planes, const Network& network, std::int64_t begin, std::int64_t end, float* out) {
  alignas(64) Keys keys;
  alignas(64) std::int32_t ends[lanes];
  const int middle = network.rows / 2;
  for (std::int64_t first = begin; first < end; first += lanes) {
    const auto count = static_cast<int>(std::min<std::int64_t>(lanes, end - first));
    make_keys(planes, first, count, network.rows, keys, ends);
    sort_columns(network, keys);
    write_medians(keys[std::max(middle - 1, 0)], keys[middle], ends, count, out + first);
  }
}

PlaneWeights weights_of(std::span<const Value<Background, Cpu>> skies, const CombineConfig& config, int planes) {
  if (!needs_skies(config.method)) return given_weights(config, planes);
  std::vector<PlaneNoise> noise;
  for (const auto& sky : skies) noise.push_back(noise_of(*sky));
  PlaneWeights weights;
  weigh_by_noise(noise.data(), planes, config.method == CombineMethod::chi_square, weights);
  return weights;
}

/// Combines planes by the method of the configuration.
class Combination {
 public:
  Combination(std::span<const Pixels<Cpu>> planes, std::span<const Value<Background, Cpu>> skies,
              const CombineConfig& config)
      : method_(config.method), network_(planes.size()) {
    for (const Pixels<Cpu>& plane : planes) {
      images_.push_back(same_rows(plane.image));
      planes_.push_back(plane.image.pixels.data());
    }
    if (method_ != CombineMethod::median) weights_ = weights_of(skies, config, static_cast<int>(planes.size()));
  }

  /// Combines the pixels [begin, end) and writes them to the image that begins at `image`. Returns the number of
  /// results that overflow a float.
  std::int64_t operator()(float* image, std::int64_t begin, std::int64_t end) const {
    std::vector<HeldRows> held;
    for (const Image<float, Cpu>& plane : images_) held.push_back(rows_of_pixels(plane, begin, end));
    if (method_ == CombineMethod::chi_square) return sum_planes<true>(planes_, weights_, begin, end, image);
    if (method_ != CombineMethod::median) return sum_planes<false>(planes_, weights_, begin, end, image);
    find_medians(planes_, network_, begin, end, image);
    return 0;
  }

 private:
  CombineMethod method_;
  Network network_;
  std::vector<Image<float, Cpu>> images_;
  Planes planes_;
  PlaneWeights weights_ = {};
};

/// Combines planes whose rows are made on demand (rows_on_demand.hpp). Adds overflowing results to `masked`; the code
/// that reads a plane counts its masked pixels.
Image<float, Cpu> combine_on_demand(Combination&& combined, const Shape& shape,
                                    const std::shared_ptr<RowMemory>& memory, MaskCounts& masked) {
  const auto once = std::make_shared<CountedOnce>(shape.height);
  const auto combination = std::make_shared<const Combination>(std::move(combined));
  return image_on_demand<float>(shape, memory,
                                [=, &masked, width = shape.width](float* image, std::int64_t begin, std::int64_t end) {
                                  const std::int64_t infinite = (*combination)(image, begin * width, end * width);
                                  once->add(begin, end, [&] { std::atomic_ref(masked.infinite) += infinite; });
                                });
}

}  // namespace

void combine_planes(std::span<const Pixels<Cpu>> planes, std::span<const Value<Background, Cpu>> skies,
                    const CombineConfig& config, Pixels<Cpu>& out, const Cpu& where) {
  check_plane_count(planes.size(), config);
  Combination combine(planes, skies, config);
  if (const Image<float, Cpu>& first = planes.front().image; is_on_demand(first)) {
    out.image = combine_on_demand(std::move(combine), first.shape, row_memory_of(first), *out.masked);
    return;
  }
  MaskCounts masked;
  for (const Pixels<Cpu>& plane : planes) {
    masked.nan += plane.masked->nan;
    masked.infinite += plane.masked->infinite;
    masked.blank += plane.masked->blank;
  }
  std::atomic<std::int64_t> infinite = 0;
  parallel_for(out.image.shape.count(), grain_pixels, where,
               [&](std::int64_t begin, std::int64_t end) { infinite += combine(out.image.pixels.data(), begin, end); });
  masked.infinite += infinite;
  out.masked = masked;
}

void check_plane_count(std::size_t planes, const CombineConfig& config) {
  const std::string there_are = planes == 1 ? "there is 1 plane" : "there are " + std::to_string(planes) + " planes";
  const std::string choose = "choose them with combine.planes, combine.hdus or combine.files";
  if (planes == 0 || planes > static_cast<std::size_t>(most_planes)) {
    throw Error(ErrorKind::config,
                there_are + " to combine, but it takes 1 to " + std::to_string(most_planes) + ": " + choose);
  }
  if (config.method == CombineMethod::luminosity && planes != 3) {
    throw Error(ErrorKind::config, "combine.method luminosity weighs red, green and blue, but " + there_are + ": " +
                                       choose + ", or use another combine.method");
  }
  if (config.method == CombineMethod::weighted && planes != config.weights.size()) {
    throw Error(ErrorKind::config, "combine.weights has " + std::to_string(config.weights.size()) + " values, but " +
                                       there_are + ": give one weight for each plane, in their order");
  }
}

}  // namespace srcextract
