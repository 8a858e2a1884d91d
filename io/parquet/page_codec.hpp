#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace srcextract {

/// Returns the name that parquet.thrift gives to the compression codec, or "number N" for an unknown codec N.
std::string codec_name(std::int32_t codec);

/// Returns true if pages of the codec can be read: none, snappy, gzip or zstd.
bool can_unpack(std::int32_t codec);

/// Decompresses a page of snappy, gzip or zstd into `out`. Returns false if the result would not fill `out` exactly, or
/// if the page is damaged.
bool unpack_page(std::int32_t codec, std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace srcextract
