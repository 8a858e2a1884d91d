#pragma once

#include "cuda/sky/clip_look.hpp"

namespace srcextract {

/// Sums of the tail cut into parts (TailCuts): what a forecast has made the rounds of the clip need.

/// 0 <= value < 2^51.
__device__ inline void add_pieces(unsigned int (&to)[PartSums::pieces][warp_size], std::int64_t value) {
  constexpr unsigned int mask = (1u << PartSums::piece_bits) - 1;
  const unsigned int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int piece = 0; piece < PartSums::pieces; ++piece) {
    atomicAdd(&to[piece][lane], static_cast<unsigned int>(value >> (piece * PartSums::piece_bits)) & mask);
  }
}

/// Of this lane's pieces.
__device__ inline ExactSum sum_of_pieces(const unsigned int (&pieces)[PartSums::pieces][warp_size]) {
  ExactSum sum;
  for (int piece = 0; piece < PartSums::pieces; ++piece) {
    const Count words = pieces[piece][threadIdx.x % warp_size];
    const int shift = piece * PartSums::piece_bits;
    sum.low += static_cast<std::int64_t>((words << shift) & 0xffffffffu);
    sum.high += static_cast<std::int64_t>(shift < 32 ? words >> (32 - shift) : words << (shift - 32));
  }
  return sum;
}

/// More than what a near pixel takes off the first sum.
inline constexpr std::int64_t first_bias = std::int64_t{1} << 50;

/// Sums the parts of up to PartSums::most_pixels of the tail, and lists what is in zones.
__device__ inline void add_to_parts(const float* pixels, std::int64_t count) {
  ClipShared& s = shared();
  auto* const words = reinterpret_cast<unsigned int*>(&s.parts);
  for (std::size_t i = threadIdx.x; i < sizeof(PartSums) / sizeof(unsigned int); i += clip_threads) words[i] = 0;
  __syncthreads();
  const RoundingConstants round(s.grid.scale);
  const double centre = s.grid.centre;
  const int last = 2 * s.cuts.zones;
  const unsigned int zone_room = work().zone_room;
  float* const zones = work().zones;
  unsigned int* const in_zone = state().in_zone;
  for_each_of(pixels, count, [&](float x) {
    if (x != x) return;
    const int part = s.cuts.part_of(x);
    atomicAdd(&s.parts.count[part][threadIdx.x % warp_size], 1u);
    if (part == 0 || part == last) return;  // may be far
    const double deviation = x - centre;
    add_pieces(s.parts.first[part], bits_of(deviation + round.first) - bits_of(round.first) + first_bias);
    add_pieces(s.parts.second[part], bits_of(deviation * deviation + round.second) - bits_of(round.second));
    if (part % 2 == 0) return;
    const unsigned int at = atomicAdd(&in_zone[part / 2], 1u);
    if (at < zone_room) zones[static_cast<std::size_t>(part / 2) * zone_room + at] = x;
  });
  __syncthreads();
}

/// A warp a part. Of the outermost parts, which may have far pixels, only the counts.
__device__ inline void bring_parts_together() {
  ClipShared& s = shared();
  const unsigned int lane = threadIdx.x % warp_size;
  const int last = 2 * s.cuts.zones;
  for (int part = static_cast<int>(threadIdx.x) / warp_size; part <= last; part += clip_warps) {
    NearSums& to = state().part[part];
    const std::int64_t count = s.parts.count[part][lane];
    add_warp(to.count, count);
    if (part == 0 || part == last) continue;
    ExactSum first = sum_of_pieces(s.parts.first[part]);
    first.high -= count * (first_bias >> 32);
    add_warp(to.first, first);
    add_warp(to.second, sum_of_pieces(s.parts.second[part]));
  }
  __syncthreads();
}

}  // namespace srcextract
