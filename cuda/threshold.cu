#include "stages/threshold.hpp"

#include <limits>

#include "cuda/run_writer.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

namespace {

/// A warp marks a tile in eight groups of lanes, each of which reads neighbouring words together, four pixels a lane.
constexpr int lanes_per_word = 8;

/// So many blocks of mark_kernel are resident on a multiprocessor at once: a thread holds 32 pixels.
constexpr int mark_blocks = 4;

/// A chunk of tiles is marked by a block, and its runs are written by so many warps.
constexpr int pieces = 6;
constexpr int write_warps = 4;
constexpr int write_threads = 32 * write_warps;

/// What is in tiles and chunks.
struct Summary {
  std::uint32_t* matters;        ///< the words of every tile that matter (RunWriter)
  std::uint16_t* begun_in_tile;  ///< how many runs begin
  std::uint32_t* begun_in_chunk;
};

/// What is not in the image is above nothing.
constexpr float outside = std::numeric_limits<float>::quiet_NaN();

__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

/// The sum over the warp, in all of its lanes.
template <class T>
__device__ T sum_of_warp(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

/// Loads four pixels of each word of the lane's group.
__device__ void load_words(const float* pixels, const Mask& mask, std::uint32_t tile, float4 (&quad)[lanes_per_word]) {
  const std::uint32_t first = tile * tile_words;
  const auto group = static_cast<std::uint32_t>(lane() / lanes_per_word * lanes_per_word);
  const std::int64_t x = 4 * (lane() % lanes_per_word);  // in the word
  const Place place = mask.place(first);
  const bool in_one_row = (std::int64_t{place.column} + tile_words) * 32 <= mask.width && place.row < mask.height;
  if (in_one_row && mask.width % 4 == 0) {  // nearly always
    const float* from = pixels + place.row * mask.width + std::int64_t{place.column + group} * 32 + x;
    // The mask, not the image, is to stay in the cache.
#pragma unroll
    for (int k = 0; k < lanes_per_word; ++k) quad[k] = __ldcs(reinterpret_cast<const float4*>(from + 32 * k));
    return;
  }
  Place of_word = mask.place(first + group);
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

/// Eight lanes hold the rows of a matrix of 8 x 8 elements of 4 bits; returns the columns.
__device__ std::uint32_t transpose(std::uint32_t row) {
#pragma unroll
  for (unsigned int step = 4; step > 0; step /= 2) {
    const bool upper = (threadIdx.x & step) != 0;
    const std::uint32_t lower_half = 0xffffffffu / ((1u << 4 * step) + 1);  // of every 2 * step elements
    const std::uint32_t kept = upper ? ~lower_half : lower_half;
    const std::uint32_t other = __shfl_xor_sync(all_lanes, row, static_cast<int>(step));
    row = (row & kept) | (__funnelshift_l(other, other, upper ? 32 - 4 * step : 4 * step) & ~kept);
  }
  return row;
}

/// The lane's word of a tile.
__device__ std::uint32_t mark_word(const float* pixels, const Mask& mask, std::uint32_t tile, float level) {
  float4 quad[lanes_per_word];
  load_words(pixels, mask, tile, quad);
  std::uint32_t bits = 0;
#pragma unroll
  for (int k = 0; k < lanes_per_word; ++k) {
    if (quad[k].x > level) bits |= 1u << 4 * k;
    if (quad[k].y > level) bits |= 2u << 4 * k;
    if (quad[k].z > level) bits |= 4u << 4 * k;
    if (quad[k].w > level) bits |= 8u << 4 * k;
  }
  return transpose(bits);
}

/// The pixel before a tile, if it is of the same row.
__device__ float load_before(const float* pixels, const Mask& mask, std::uint32_t tile) {
  const Place place = mask.place(tile * tile_words);
  const bool inside = place.column > 0 && place.row < mask.height;
  return inside ? pixels[place.row * mask.width + std::int64_t{place.column} * 32 - 1] : outside;
}

/// Marks a tile; returns how many runs begin in it.
__device__ int mark_tile(const float* pixels, const Mask& mask, const Summary& summary, std::uint32_t tile,
                         float level) {
  const float before = load_before(pixels, mask, tile);
  const std::uint32_t word = mark_word(pixels, mask, tile, level);
  const std::uint32_t index = tile * tile_words + lane();
  mask.words[index] = word;

  std::uint32_t joined = __shfl_up_sync(all_lanes, word, 1) >> 31;
  if (lane() == 0) joined = before > level ? 1 : 0;
  const bool starts_row = mask.place(index).column == 0;
  const unsigned int matters = __ballot_sync(all_lanes, (word | joined) != 0 || starts_row);
  const int begun = sum_of_warp(__popc(word & ~(word << 1 | (starts_row ? 0 : joined))));
  if (lane() == 0) {
    summary.matters[tile] = matters;
    summary.begun_in_tile[tile] = static_cast<std::uint16_t>(begun);
  }
  return begun;
}

__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_kernel(const float* pixels, Mask mask, const Levels* levels, Summary summary) {
  __shared__ std::uint32_t begun_in_chunk;
  if (threadIdx.x == 0) begun_in_chunk = 0;
  __syncthreads();
  const float level = floor_to_float(levels->detection);
  const Tiles chunk = mask.chunk(blockIdx.x);
  std::uint32_t begun = 0;
  for (std::uint32_t tile = chunk.begin + threadIdx.x / 32; tile < chunk.end; tile += block_threads / 32) {
    begun += mark_tile(pixels, mask, summary, tile, level);
  }
  if (lane() == 0) atomicAdd(&begun_in_chunk, begun);
  __syncthreads();
  if (threadIdx.x == 0) summary.begun_in_chunk[blockIdx.x] = begun_in_chunk;
}

/// The sum of counts [begin, end), by a warp.
template <class T>
__device__ std::int64_t sum_of(const T* counts, std::uint32_t begin, std::uint32_t end) {
  constexpr int loads = 8;
  std::int64_t sum = 0;
  for (std::uint32_t first = begin + lane(); first < end; first += 32 * loads) {
#pragma unroll
    for (int k = 0; k < loads; ++k) sum += first + 32 * k < end ? counts[first + 32 * k] : 0;
  }
  return sum_of_warp(sum);
}

__global__ void __launch_bounds__(write_threads) write_runs_kernel(Mask mask, Summary summary, RunList list) {
  __shared__ RunWriter::Memory memory[write_warps];
  const std::uint32_t warp = threadIdx.x / 32;
  const std::uint32_t index = blockIdx.x * write_warps + warp;
  const Tiles chunk = mask.chunk(index / pieces);
  const Tiles piece = chunk.part(index % pieces, pieces);
  if (piece.begin == piece.end) return;

  const auto load = [&](std::uint32_t tile) { return tile + lane() < piece.end ? summary.matters[tile + lane()] : 0; };
  std::uint32_t next = load(piece.begin);
  const std::uint32_t before = piece.begin > 0 ? mask.words[piece.begin * tile_words - 1] : 0;
  const std::int64_t begun =
      sum_of(summary.begun_in_chunk, 0, index / pieces) + sum_of(summary.begun_in_tile, chunk.begin, piece.begin);
  RunWriter writer(mask, list, before, begun, memory[warp]);
  for (std::uint32_t tile = piece.begin; tile < piece.end; tile += RunWriter::batch_tiles) {
    const std::uint32_t matters = next;
    next = load(tile + RunWriter::batch_tiles);  // under way while runs are written
    writer.go_on(tile, matters);
  }
}

/// Runs are numbered in 32 bits (check_run_count).
std::int64_t room_for_runs(const Shape& shape, const Gpu& where) {
  const std::int64_t most = (shape.width + 1) / 2 * shape.height;
  const std::int64_t wanted = where.capacity.runs > 0 ? std::min(where.capacity.runs, most) : most;
  return std::min<std::int64_t>(wanted, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where) {
  const auto [width, height] = image.shape;
  const std::int64_t words_per_row = (width + 31) / 32;
  if (words_per_row * height == 0) return {image.shape, {}, filled<std::int64_t>(height + 1, 0, where)};

  Runs<Gpu> result{image.shape, {room_for_runs(image.shape, where), where}, {height + 1, where}};
  const std::int64_t tiles = words_per_row * height / tile_words + 1;
  const std::int64_t resident = std::int64_t{mark_blocks} * where.multiprocessors;
  const std::int64_t tiles_per_chunk = std::max<std::int64_t>(block_threads / 32, (tiles + resident - 1) / resident);
  const auto chunks = static_cast<unsigned int>((tiles + tiles_per_chunk - 1) / tiles_per_chunk);
  Buffer<std::uint32_t, Gpu> words(tiles * tile_words, where);
  Buffer<std::uint32_t, Gpu> matters(tiles, where);
  Buffer<std::uint16_t, Gpu> begun_in_tile(tiles, where);
  Buffer<std::uint32_t, Gpu> begun_in_chunk(chunks, where);
  const auto row_words = static_cast<std::uint32_t>(words_per_row);
  const Mask mask{words.data(),
                  width,
                  height,
                  row_words,
                  std::numeric_limits<std::uint32_t>::max() / row_words,
                  static_cast<std::uint32_t>(tiles),
                  static_cast<std::uint32_t>(tiles_per_chunk)};
  const Summary summary{matters.data(), begun_in_tile.data(), begun_in_chunk.data()};
  mark_kernel<<<chunks, block_threads, 0, where.stream>>>(image.pixels.data(), mask, levels.data(), summary);
  check_launch();
  const RunList list{result.runs.data(), result.runs.size(), result.row_begin.data()};
  const unsigned int write_blocks = (chunks * pieces + write_warps - 1) / write_warps;
  write_runs_kernel<<<write_blocks, write_threads, 0, where.stream>>>(mask, summary, list);
  check_launch();
  return result;
}

}  // namespace srcextract
