#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// Whether a stream is long enough for so many pixels, if they are all equal.
bool can_be_rice(std::span<const std::byte> stream, std::int64_t pixels, std::int64_t block);

/// Decodes the integers of a tile that RICE_1 compressed (FITS Standard 4.0, 10.4.1); `block` of them share a number of
/// bits. `Pixel` is std::uint8_t, std::int16_t or std::int32_t, by the BYTEPIX of the compression. False if the stream
/// is not that of so many pixels, which are then undefined; nothing outside of the stream is read.
template <class Pixel>
bool decode_rice(std::span<const std::byte> stream, std::int64_t block, std::span<Pixel> pixels);

/// As many streams as are decoded side by side, where the processor has AVX-512 (F, BW, CD, DQ and VL).
inline constexpr int rice_lanes = 8;
bool has_rice_lanes();

/// decode_rice() of so many streams, of `count` pixels each. Only where has_rice_lanes(). False if one is not that of
/// so many pixels: which, and what the others are, is then to be found out one by one.
template <class Pixel>
bool decode_rice(const std::array<std::span<const std::byte>, rice_lanes>& streams, std::int64_t block,
                 std::int64_t count, const std::array<Pixel*, rice_lanes>& out);

}  // namespace srcextract
