#include "stages/detect/threshold.hpp"

#include <limits>

#include "cuda/detect/bright_mask.hpp"
#include "cuda/sky/mesh_rows.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

namespace {

/// Number of lanes that together read the 32 pixels of a mask word, four pixels each. So a warp has four groups, which
/// mark a tile of 32 words.
constexpr int lanes_per_word = 8;

/// Transposes an 8 x 8 matrix of 4-bit elements: each of eight lanes passes a row and gets a column.
__device__ std::uint32_t transpose(std::uint32_t row) {
#pragma unroll
  for (unsigned int step = 4; step > 0; step /= 2) {
    const bool upper = (threadIdx.x & step) != 0;
    // bits of the lower half of every 2 * step elements
    const std::uint32_t lower_half = 0xffffffffu / ((1u << 4 * step) + 1);
    const std::uint32_t kept = upper ? ~lower_half : lower_half;
    const std::uint32_t other = __shfl_xor_sync(all_lanes, row, static_cast<int>(step));
    row = (row & kept) | (__funnelshift_l(other, other, upper ? 32 - 4 * step : 4 * step) & ~kept);
  }
  return row;
}

/// A detection level that is the same for all pixels. This class and the next two have two functions. at(x, y) returns
/// the level of a pixel. four_at(x, y) returns the levels of four pixels of a row from column x on; x must be a
/// multiple of four.
struct OneLevel {
  float level;
  __device__ float at(std::int64_t, std::int64_t) const { return level; }
  __device__ float4 four_at(std::int64_t, std::int64_t) const { return {level, level, level, level}; }
};

/// A detection level that follows the noise map of a mesh.
struct EachLevel {
  MeshMap noise;
  Levels levels;
  __device__ float at(std::int64_t x, std::int64_t y) const { return level_above_noise(levels, noise.at(x, y_of(y))); }
  __device__ float4 four_at(std::int64_t x, std::int64_t y) const {
    const float4 rms = FourColumns(noise, x).at(noise, y_of(y));
    return {level_above_noise(levels, rms.x), level_above_noise(levels, rms.y), level_above_noise(levels, rms.z),
            level_above_noise(levels, rms.w)};
  }

 private:
  __device__ std::int64_t y_of(std::int64_t y) const {
    return min(y, noise.height - 1);  // words that pad the last tile have rows outside the image
  }
};

/// A detection level that follows a variance map.
struct LevelOfVariance {
  const float* variance;
  std::int64_t width, height;
  Levels levels;
  __device__ float at(std::int64_t x, std::int64_t y) const {
    if (x >= width || y >= height) return outside;  // in a word that pads the last tile, or in the last word of a row
    return level_of_variance(levels, __ldg(variance + y * width + x));
  }
  __device__ float4 four_at(std::int64_t x, std::int64_t y) const {
    return {at(x, y), at(x + 1, y), at(x + 2, y), at(x + 3, y)};
  }
};

/// The pixels above their level, as the `source` of mark_chunk().
template <class Level>
struct PixelsAbove {
  const float* pixels;
  Level level;

  /// Whether the pixel before the tile is in the same row and above its level.
  __device__ bool load_before(const Mask& mask, std::uint32_t tile) const {
    const WordPlace place = mask.place(tile * tile_words);
    if (place.column == 0 || place.row >= mask.height) return false;
    const std::int64_t x = std::int64_t{place.column} * 32 - 1;
    return pixels[place.row * mask.width + x] > level.at(x, place.row);
  }

  __device__ bool is_foreground(bool before) const { return before; }

  __device__ std::uint32_t mark_word(const Mask& mask, std::uint32_t tile) const {
    float4 quad[lanes_per_word];
    load_words(mask, tile, quad);
    WordPlace place =
        mask.place(tile * tile_words + static_cast<std::uint32_t>(lane() / lanes_per_word * lanes_per_word));
    std::uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < lanes_per_word; ++k) {
      const std::int64_t x = std::int64_t{place.column} * 32 + 4 * (lane() % lanes_per_word), y = place.row;
      const float4 least = level.four_at(x, y);
      if (quad[k].x > least.x) bits |= 1u << 4 * k;
      if (quad[k].y > least.y) bits |= 2u << 4 * k;
      if (quad[k].z > least.z) bits |= 4u << 4 * k;
      if (quad[k].w > least.w) bits |= 8u << 4 * k;
      if (++place.column == mask.words_per_row) place = {place.row + 1, 0};
    }
    return transpose(bits);
  }

  /// Loads the lane's four pixels of each of the eight words of its group.
  __device__ void load_words(const Mask& mask, std::uint32_t tile, float4 (&quad)[lanes_per_word]) const {
    const std::uint32_t first = tile * tile_words;
    const auto group = static_cast<std::uint32_t>(lane() / lanes_per_word * lanes_per_word);
    // column, within a word, of the first of the lane's four pixels
    const std::int64_t x = 4 * (lane() % lanes_per_word);
    const WordPlace place = mask.place(first);
    const bool in_one_row = (std::int64_t{place.column} + tile_words) * 32 <= mask.width && place.row < mask.height;
    if (in_one_row && mask.width % 4 == 0) {  // the usual case
      const float* from = pixels + place.row * mask.width + std::int64_t{place.column + group} * 32 + x;
      // Streaming loads, since each pixel is read once: the cache should rather hold the mask.
#pragma unroll
      for (int k = 0; k < lanes_per_word; ++k) quad[k] = __ldcs(reinterpret_cast<const float4*>(from + 32 * k));
      return;
    }
    WordPlace of_word = mask.place(first + group);
#pragma unroll
    for (int k = 0; k < lanes_per_word; ++k) {
      const std::int64_t column = std::int64_t{of_word.column} * 32 + x;
      const std::int64_t inside = of_word.row < mask.height ? mask.width - column : 0;
      const float* from = pixels + of_word.row * mask.width + column;
      quad[k] = {inside > 0 ? from[0] : outside, inside > 1 ? from[1] : outside, inside > 2 ? from[2] : outside,
                 inside > 3 ? from[3] : outside};
      if (++of_word.column == mask.words_per_row) of_word = {of_word.row + 1, 0};
    }
  }
};

__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_kernel(const float* pixels, Mask mask, const Levels* levels, MaskSummary summary) {
  mark_chunk(PixelsAbove<OneLevel>{pixels, {floor_to_float(levels->detection)}}, mask, summary);
}

/// Marks pixels above the level. If the level is at least the limit of BrightQuads, only bright quads (four consecutive
/// pixels) can contain such pixels, and only these are read; else all pixels are read.
__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_bright_kernel(const float* pixels, const std::uint32_t* quads, const float* limit, Mask mask,
                       const Levels* levels, MaskSummary summary) {
  const float level = floor_to_float(levels->detection);
  if (level >= *limit) return BrightPixelsAbove(pixels, quads, level).mark_chunk(mask, summary);
  mark_chunk(PixelsAbove<OneLevel>{pixels, {level}}, mask, summary);
}

__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_noisy_kernel(const float* pixels, Mask mask, const Levels* levels, MeshMap noise, MaskSummary summary) {
  mark_chunk(PixelsAbove<EachLevel>{pixels, {noise, *levels}}, mask, summary);
}

__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_by_variance_kernel(const float* pixels, Mask mask, const Levels* levels, const float* variance,
                            MaskSummary summary) {
  mark_chunk(PixelsAbove<LevelOfVariance>{pixels, {variance, mask.width, mask.height, *levels}}, mask, summary);
}

}  // namespace

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where) {
  const auto mark = [&](unsigned int blocks, const Mask& mask, const MaskSummary& summary) {
    mark_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), mask, levels.data(), summary);
  };
  return list_runs(image.shape, mark, where);
}

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const BrightQuads<Gpu>& bright,
                    const Gpu& where) {
  const float* const pixels = image.pixels.data();
  const std::uint32_t* const quads = bright.quads_of(pixels);
  // If the width is no multiple of four, some quads have pixels of two rows.
  if (quads == nullptr || image.shape.width % 4 != 0) return find_runs(image, levels, where);
  const auto mark = [&](unsigned int blocks, const Mask& mask, const MaskSummary& summary) {
    mark_bright_kernel<<<blocks, block_threads, 0, where.stream>>>(pixels, quads, bright.limit.data(), mask,
                                                                   levels.data(), summary);
  };
  return list_runs(image.shape, mark, where);
}

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const SkyMesh<Gpu>& noise,
                    const Gpu& where) {
  const MeshRows rows = MeshRows::of_rms(noise, where);
  const auto mark = [&](unsigned int blocks, const Mask& mask, const MaskSummary& summary) {
    mark_noisy_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), mask, levels.data(), rows.map(),
                                                                  summary);
  };
  return list_runs(image.shape, mark, where);
}

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Image<float, Gpu>& variance,
                    const Gpu& where) {
  const auto mark = [&](unsigned int blocks, const Mask& mask, const MaskSummary& summary) {
    mark_by_variance_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), mask, levels.data(),
                                                                        variance.pixels.data(), summary);
  };
  return list_runs(image.shape, mark, where);
}

}  // namespace srcextract
