#pragma once

#include <atomic>
#include <cstdint>

#include "stages/core/parallel.hpp"

namespace srcextract {

/// Calls piece(begin, end), which must return how many pixels it masked, for pieces of all `count` pixels. Returns the
/// total.
template <class Piece>
std::int64_t count_masked(std::int64_t count, const Cpu& where, const Piece& piece) {
  constexpr std::int64_t piece_pixels = std::int64_t{1} << 17;
  std::atomic<std::int64_t> masked = 0;
  parallel_for(count, piece_pixels, where, [&](std::int64_t begin, std::int64_t end) { masked += piece(begin, end); });
  return masked;
}

}  // namespace srcextract
