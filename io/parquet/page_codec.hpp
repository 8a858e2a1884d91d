#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace srcextract {

/// The name of the codec in parquet.thrift, or its number.
std::string codec_name(std::int32_t codec);

/// Whether pages of this codec can be unpacked: none, snappy, gzip, zstd.
bool can_unpack(std::int32_t codec);

/// Unpacks a page, which must fill `out` exactly; false if it does not.
bool unpack_page(std::int32_t codec, std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace srcextract
