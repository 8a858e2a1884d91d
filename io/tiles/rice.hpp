#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Returns false if the stream is too short for `pixels` pixels in blocks of `block` pixels, even if all pixels are
/// equal.
bool can_be_rice(std::span<const std::byte> stream, std::int64_t pixels, std::int64_t block);

/// Decodes the integers of a tile compressed with RICE_1 (FITS Standard 4.0, 10.4.1). Within a block of `block` pixels
/// all codes have the same number of low bits. `Pixel` is std::uint8_t, std::int16_t or std::int32_t, as BYTEPIX of the
/// compression says. Returns false if the stream does not hold that many pixels; the pixels are then undefined. Reads
/// nothing outside the stream.
template <class Pixel>
bool decode_rice(std::span<const std::byte> stream, std::int64_t block, std::span<Pixel> pixels);

/// Number of streams that are decoded at once, each in one 64-bit lane of an AVX-512 register. has_rice_lanes() returns
/// true on processors with AVX-512 (F, BW, CD, DQ and VL).
inline constexpr int rice_lanes = 8;
bool has_rice_lanes();

/// Decodes rice_lanes streams of `count` pixels each. Requires has_rice_lanes(). Returns false if any stream is
/// damaged; the caller must then decode the streams singly to find out which.
template <class Pixel>
bool decode_rice(const std::array<std::span<const std::byte>, rice_lanes>& streams, std::int64_t block,
                 std::int64_t count, const std::array<Pixel*, rice_lanes>& out);

}  // namespace srcextract
