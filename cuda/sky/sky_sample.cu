#include "cuda/sky/sky_sample.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>

#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

// The sample is sorted by signed_key(): integers that compare like the pixels' values. Each block sorts a chunk of the
// sample, then the chunks are merged. Equal keys belong to identical pixel values, so their order does not matter.

/// Number of keys in a chunk, which one block sorts.
constexpr int sort_chunk = 256;
constexpr int sort_warps = sort_chunk / warp_size;

/// Returns the number of keys below `limit` among `Size` sorted keys; Size must be a power of two.
template <int Size>
__device__ int count_below(const std::int32_t* sorted, std::int32_t limit) {
  int below = 0;
#pragma unroll
  for (int step = Size / 2; step > 0; step /= 2) below += sorted[below + step - 1] < limit ? step : 0;
  return below + (sorted[below] < limit ? 1 : 0);
}

/// Sorts the keys of a warp, one key per lane, by Batcher's bitonic sort.
__device__ std::int32_t sort_warp(std::int32_t key) {
  const unsigned int lane = threadIdx.x % warp_size;
#pragma unroll
  for (unsigned int size = 2; size <= warp_size; size *= 2) {
#pragma unroll
    for (unsigned int step = size / 2; step > 0; step /= 2) {
      const std::int32_t other = __shfl_xor_sync(all_lanes, key, step);
      const bool smaller = ((lane & step) == 0) == ((lane & size) == 0);
      key = smaller ? min(key, other) : max(key, other);
    }
  }
  return key;
}

/// Block b draws the pixels of chunk b of the sample and sorts their keys, with masked pixels last. The end of the last
/// chunk is filled with masked pixels.
__global__ void __launch_bounds__(sort_chunk)
    sort_chunks_kernel(const float* pixels, std::int64_t count, int samples, std::int32_t* keys, SampleCounts* counts) {
  __shared__ std::int32_t sorted[sort_chunk];  // sorted within each warp's 32 keys only
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int i = static_cast<int>(blockIdx.x * sort_chunk + threadIdx.x);
  constexpr float masked = std::numeric_limits<float>::quiet_NaN();
  const float pixel = i < samples ? pixels[sample_position(i, samples, count)] : masked;
  const std::int32_t key = sort_warp(signed_key(pixel == pixel ? pixel : masked));
  sorted[threadIdx.x] = key;
  const SampleCounts here{__syncthreads_count(pixel == pixel), __syncthreads_count(pixel == 0)};
  if (threadIdx.x == 0) counts[blockIdx.x] = here;

  int place = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
  for (int next = 1; next < sort_warps; ++next) {
    const int other = (warp + next) % sort_warps;
    place += count_below<warp_size>(sorted + other * warp_size, other < warp ? key + 1 : key);
  }
  keys[blockIdx.x * sort_chunk + place] = key;
}

constexpr int merge_warps = 16;
constexpr int merge_threads = merge_warps * warp_size;

/// Each block takes 32 consecutive keys of a sorted chunk and writes their pixel values to their places among all keys.
/// The warps of the block divide the chunks among themselves, and count the smaller keys in each chunk. Consecutive
/// keys lead to nearly the same steps of the binary search, so there are few bank conflicts.
__global__ void __launch_bounds__(merge_threads)
    merge_chunks_kernel(const std::int32_t* keys, int chunks, int samples, float* sorted) {
  __shared__ int4 loaded[merge_warps][sort_chunk / 4];
  __shared__ int below[merge_warps][warp_size];
  const int warp = static_cast<int>(threadIdx.x) / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int own_chunk = static_cast<int>(blockIdx.x) / sort_warps;
  const int i = static_cast<int>(blockIdx.x) * warp_size + lane;
  const std::int32_t key = keys[i];
  int sum = 0;
  for (int chunk = warp; chunk < chunks; chunk += merge_warps) {
    if (chunk == own_chunk) {
      sum += i % sort_chunk;
      continue;
    }
    const auto* from = reinterpret_cast<const int4*>(keys + chunk * sort_chunk);
    __syncwarp();  // all lanes have finished reading the previous chunk
    for (int k = lane; k < sort_chunk / 4; k += warp_size) loaded[warp][k] = from[k];
    __syncwarp();
    sum += count_below<sort_chunk>(&loaded[warp][0].x, chunk < own_chunk ? key + 1 : key);
  }
  below[warp][lane] = sum;
  __syncthreads();
  if (warp != 0) return;
  int rank = 0;
#pragma unroll
  for (const auto& of_warp : below) rank += of_warp[lane];
  if (rank < samples) sorted[rank] = value_of_signed_key(key);
}

constexpr int guess_threads = 512;

/// Number of pixels of the sample from which core and window are guessed (ClipGuess). Running sums of more pixels would
/// not fit into shared memory.
constexpr int guess_samples = 2048;

/// Returns the sums of the counts of all chunks. All lanes of a warp must call this function together, and all get the
/// sums.
__device__ SampleCounts total_counts(const SampleCounts* counts, int chunks) {
  SampleCounts sum{0, 0};
  for (int chunk = static_cast<int>(threadIdx.x) % warp_size; chunk < chunks; chunk += warp_size) {
    sum.unmasked += counts[chunk].unmasked;
    sum.zeros += counts[chunk].zeros;
  }
  return {sum_of_warp(sum.unmasked), sum_of_warp(sum.zeros)};
}

/// A deviation from the grid's centre and its square, or sums of both.
struct Powers {
  double first = 0;
  double second = 0;
  __device__ Powers operator+(const Powers& other) const { return {first + other.first, second + other.second}; }
};

/// The part of the sorted sample from which core and window are guessed, and its running sums (guess_clip).
struct GuessSample {
  float2 pixels[guess_samples / 2];  ///< NaN after the last pixel
  double sums[guess_samples + 1];
  double squares[guess_samples + 1];

  __device__ const float* sorted() const { return &pixels[0].x; }

  /// Stores the pixels and their running sums. `mine` are this thread's consecutive pixels. All threads of the block
  /// must call this function together.
  __device__ void fill(const float (&mine)[guess_samples / guess_threads], int size, const SumGrid& grid) {
    constexpr int each = guess_samples / guess_threads;
    using Scan = cub::BlockScan<Powers, guess_threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename Scan::TempStorage scratch;
    const int first = static_cast<int>(threadIdx.x) * each;
    Powers before[each], total;
    for (int k = 0; k < each; ++k) {
      const double deviation = first + k < size ? grid.deviation(mine[k]) : 0;
      before[k] = {deviation, deviation * deviation};
    }
    Scan(scratch).ExclusiveSum(before, before, total);
    for (int k = 0; k < each; ++k) {
      sums[first + k] = before[k].first;
      squares[first + k] = before[k].second;
    }
    for (int k = 0; k < each; k += 2) pixels[(first + k) / 2] = {mine[k], mine[k + 1]};
    if (threadIdx.x == 0) {
      sums[guess_samples] = total.first;
      squares[guess_samples] = total.second;
    }
    __syncthreads();
  }
};

/// Counts the pixels of a GuessSample up to a value. All lanes of a warp must call this function together.
class WarpSearch {
 public:
  __device__ explicit WarpSearch(const GuessSample& sample)
      : pixels_(sample.pixels), last_(sample.pixels[(lane() + 1) * warp_size - 1].y) {}

  /// Returns the number of pixels <= value. Each lane holds the last pixel of one group of 64 pixels, which tells how
  /// many groups are wholly <= value. Then all lanes together compare the 64 pixels of the next group.
  __device__ int operator()(double value) const {
    const int lanes = min(__popc(__ballot_sync(all_lanes, last_ <= value)), warp_size - 1);
    const float2 pair = pixels_[lanes * warp_size + lane()];
    return 2 * warp_size * lanes + __popc(__ballot_sync(all_lanes, pair.x <= value)) +
           __popc(__ballot_sync(all_lanes, pair.y <= value));
  }

 private:
  static_assert(guess_samples == 2 * warp_size * warp_size);
  const float2* pixels_;
  double last_;
};

/// Sets the grid, guesses core and window, and initialises the clip's state, in a single block.
__global__ void __launch_bounds__(guess_threads)
    guess_kernel(const float* sorted, const SampleCounts* counts, int chunks, double kappa, std::int64_t max_iterations,
                 ClipState* state) {
  __shared__ GuessSample sample;
  constexpr int each = guess_samples / guess_threads;
  const auto [unmasked, zeros] = total_counts(counts, chunks);
  const int size = min(unmasked, guess_samples);
  float mine[each];
  for (int k = 0; k < each; ++k) {
    const int i = static_cast<int>(threadIdx.x) * each + k;
    const int place = unmasked <= guess_samples ? i : (2 * i + 1) * unmasked / (2 * guess_samples);
    mine[k] = i < size ? sorted[place] : std::numeric_limits<float>::quiet_NaN();
  }
  const SumGrid grid = grid_of_sample(sorted, unmasked);
  clear_look(*state, guess_threads);
  sample.fill(mine, size, grid);

  if (threadIdx.x == guess_threads - 1) {
    state->grid = grid;
    state->samples = unmasked;
    state->zero_share = unmasked > 0 ? static_cast<double>(zeros) / unmasked : 0;
    state->smallest = ~Count{0};
    state->command = ClipCommand::look;
  }
  __shared__ ClipGuess guess;
  if (threadIdx.x < warp_size) {
    const ClipGuess found = guess_clip(sample.sorted(), sample.sums, sample.squares, size,
                                       rank_margin(max(unmasked, 1)), grid, kappa, max_iterations, WarpSearch(sample));
    if (threadIdx.x == 0) guess = state->guess = found;
  }
  __syncthreads();
  const bool heavy = __syncthreads_or(is_heavy(sorted, unmasked, guess.window, guess_threads)) != 0;
  if (threadIdx.x == 0) state->heavy = heavy;
}

}  // namespace

SkySample::SkySample(std::int64_t count, const Gpu& where)
    : count_(count),
      samples_(sample_size(count)),
      chunks_((samples_ + sort_chunk - 1) / sort_chunk),
      keys_(std::max(chunks_, 1) * sort_chunk, where),
      counts_(std::max(chunks_, 1), where),
      sorted_(std::max(samples_, 1), where),
      state_(1, where) {}

void SkySample::draw(const float* pixels, const BackgroundConfig& config, const Gpu& where) {
  if (samples_ > 0) {
    sort_chunks_kernel<<<chunks_, sort_chunk, 0, where.stream>>>(pixels, count_, samples_, keys_.data(),
                                                                 counts_.data());
    check_launch();
    merge_chunks_kernel<<<chunks_ * sort_warps, merge_threads, 0, where.stream>>>(keys_.data(), chunks_, samples_,
                                                                                  sorted_.data());
    check_launch();
  }
  guess_kernel<<<1, guess_threads, 0, where.stream>>>(sorted_.data(), counts_.data(), chunks_, config.kappa,
                                                      config.max_iterations, state_.data());
  check_launch();
}

}  // namespace srcextract
