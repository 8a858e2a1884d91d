#include "io/parquet/page_codec.hpp"

#include <snappy.h>
#include <zstd.h>

#include <array>

#include "io/files/gzip.hpp"
#include "io/parquet/parquet_format.hpp"

namespace srcextract {

std::string codec_name(std::int32_t codec) {
  constexpr std::array names = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"};
  return codec >= 0 && codec < std::ssize(names) ? std::string(names[static_cast<std::size_t>(codec)])
                                                 : "number " + std::to_string(codec);
}

bool can_unpack(std::int32_t codec) {
  const auto known = static_cast<ParquetCodec>(codec);
  return known == ParquetCodec::none || known == ParquetCodec::snappy || known == ParquetCodec::gzip ||
         known == ParquetCodec::zstd;
}

bool unpack_page(std::int32_t codec, std::span<const std::byte> packed, std::span<std::byte> out) {
  if (out.empty()) return true;  // writers may store some bytes, or none, for an empty page
  switch (static_cast<ParquetCodec>(codec)) {
    case ParquetCodec::snappy: {
      const auto* const bytes = reinterpret_cast<const char*>(packed.data());
      std::size_t size = 0;
      return snappy::GetUncompressedLength(bytes, packed.size(), &size) && size == out.size() &&
             snappy::RawUncompress(bytes, packed.size(), reinterpret_cast<char*>(out.data()));
    }
    case ParquetCodec::gzip:
      return inflate_member(packed, out) == std::ssize(out);
    case ParquetCodec::zstd:
      return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
    default:
      return false;
  }
}

}  // namespace srcextract
