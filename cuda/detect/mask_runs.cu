#include "cuda/detect/mask_runs.hpp"

#include <limits>

#include "cuda/detect/run_writer.hpp"

namespace srcextract {

namespace {

/// Number of pieces of a chunk of tiles. One block has marked the chunk; one warp writes the runs of one piece.
constexpr int pieces = 6;

constexpr int write_warps = 4;
constexpr int write_threads = 32 * write_warps;

/// Returns the sum of counts[begin] to counts[end - 1]. All lanes of a warp must call this function together, and all
/// get the sum.
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

__global__ void __launch_bounds__(write_threads) write_runs_kernel(Mask mask, MaskSummary summary, RunList list) {
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
    next = load(tile + RunWriter::batch_tiles);  // loads the next words while runs are written
    writer.go_on(tile, matters);
  }
}

/// Returns the number of runs that a list should hold: Gpu::capacity, but at most the largest possible number in the
/// image, and less than 2^31.
std::int64_t room_for_runs(const Shape& shape, const Gpu& where) {
  const std::int64_t most = (shape.width + 1) / 2 * shape.height;
  return std::min<std::int64_t>(Capacity::within(where.capacity.runs, most), std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Runs<Gpu> list_runs(const Shape& shape, const QueueMarking& mark, const Gpu& where) {
  const auto [width, height] = shape;
  const std::int64_t words_per_row = (width + 31) / 32;
  if (words_per_row * height == 0) return {shape, {}, filled<std::int64_t>(height + 1, 0, where)};

  Runs<Gpu> result{shape, {room_for_runs(shape, where), where}, {height + 1, where}};
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
  const MaskSummary summary{matters.data(), begun_in_tile.data(), begun_in_chunk.data()};
  mark(chunks, mask, summary);
  check_launch();
  const RunList list{result.runs.data(), result.runs.size(), result.row_begin.data()};
  const unsigned int write_blocks = (chunks * pieces + write_warps - 1) / write_warps;
  write_runs_kernel<<<write_blocks, write_threads, 0, where.stream>>>(mask, summary, list);
  check_launch();
  return result;
}

}  // namespace srcextract
