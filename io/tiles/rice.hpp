#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Whether the stream is long enough for `pixels` pixels; equal pixels need the fewest bytes.
bool can_be_rice(std::span<const std::byte> stream, std::int64_t pixels, std::int64_t block);

/// Decodes the integers of a tile compressed with RICE_1 (FITS Standard 4.0, 10.4.1); in each block of `block` pixels,
/// all codes have the same number of low bits. `Pixel` is std::uint8_t, std::int16_t or std::int32_t, by the
/// compression's BYTEPIX. False if the stream does not hold that many pixels, which are then undefined. Nothing outside
/// the stream is read.
template <class Pixel>
bool decode_rice(std::span<const std::byte> stream, std::int64_t block, std::span<Pixel> pixels);

/// Streams decoded side by side, on processors with AVX-512 (F, BW, CD, DQ and VL).
inline constexpr int rice_lanes = 8;
bool has_rice_lanes();

/// Decodes rice_lanes streams of `count` pixels each; requires has_rice_lanes(). False if a stream is damaged. The
/// caller must then decode the streams one by one.
template <class Pixel>
bool decode_rice(const std::array<std::span<const std::byte>, rice_lanes>& streams, std::int64_t block,
                 std::int64_t count, const std::array<Pixel*, rice_lanes>& out);

}  // namespace srcextract
