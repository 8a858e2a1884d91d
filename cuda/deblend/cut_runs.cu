#include "cuda/deblend/cut_runs.hpp"

namespace srcextract {

namespace {

/// Counts the pieces of each run, with one thread per run. A run is a set of consecutive foreground pixels of one image
/// row; runs are cut into pieces where the owner of the pixels changes.
template <class Pieces>
__global__ void count_pieces_kernel(const __grid_constant__ Pieces pieces, std::uint32_t* counts) {
  const std::int64_t count = pieces.all.run_count();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    std::uint32_t own = 0;
    pieces(i, [&](std::int32_t, std::int32_t, std::int32_t) { ++own; });
    counts[i] = own;
  }
}

template <class Pieces>
__global__ void write_pieces_kernel(const __grid_constant__ Pieces pieces, const std::uint32_t* places, Run* runs,
                                    std::int32_t* owner, std::int64_t room) {
  const std::int64_t count = pieces.all.run_count();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    std::int64_t place = places[i];
    const std::int32_t y = pieces.all.runs[i].y;
    pieces(i, [&](std::int32_t begin, std::int32_t end, std::int32_t of) {
      if (place < room) {
        runs[place] = {y, begin, end};
        owner[place] = of;
      }
      ++place;
    });
  }
}

__global__ void row_begin_kernel(const __grid_constant__ SharedIslands all, const std::uint32_t* places,
                                 std::int64_t* row_begin) {
  const std::int64_t count = all.run_count();
  for (std::int64_t y = thread_index(); y <= all.shape.height; y += thread_total())
    row_begin[y] = places[min(all.row_begin[y], count)];
}

}  // namespace

template <class Pieces>
CutRuns cut_at_owners(const Pieces& pieces, std::int64_t room, const Gpu& where) {
  const SharedIslands& all = pieces.all;
  const std::int64_t height = all.shape.height;
  CutRuns cut{{all.shape, {room, where}, {height + 1, where}}, {room, where}};
  Buffer<std::uint32_t, Gpu> places(all.run_room + 1, where);
  const unsigned int blocks = grid_for(all.run_room, where);
  count_pieces_kernel<<<blocks, block_threads, 0, where.stream>>>(pieces, places.data());
  check_launch();
  make_running_sums(places, {all.run_total, all.run_room}, where);
  write_pieces_kernel<<<blocks, block_threads, 0, where.stream>>>(pieces, places.data(), cut.runs.runs.data(),
                                                                  cut.owner.data(), room);
  check_launch();
  row_begin_kernel<<<grid_for(height + 1, where), block_threads, 0, where.stream>>>(all, places.data(),
                                                                                    cut.runs.row_begin.data());
  check_launch();
  return cut;
}

template CutRuns cut_at_owners(const CorePieces& pieces, std::int64_t room, const Gpu& where);
template CutRuns cut_at_owners(const SourcePieces& pieces, std::int64_t room, const Gpu& where);

}  // namespace srcextract
