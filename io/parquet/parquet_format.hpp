#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace srcextract {

// Constants of parquet.thrift (Apache Parquet 2.10).

/// Magic bytes at the start and at the end of a file.
inline constexpr std::string_view parquet_magic = "PAR1";

enum class ParquetType : std::int32_t {
  boolean,
  int32,
  int64,
  int96,
  float32,
  float64,
  byte_array,
  fixed_length_byte_array
};

enum class ParquetEncoding : std::int32_t { plain = 0, plain_dictionary = 2, rle = 3, rle_dictionary = 8 };

enum class ParquetCodec : std::int32_t { none = 0, snappy = 1, gzip = 2, zstd = 6 };

enum class ParquetPage : std::int32_t { data = 0, index = 1, dictionary = 2, data_v2 = 3 };

enum class ParquetRepetition : std::int32_t { required, optional, repeated };

/// Values of ConvertedType, the older way to say what the values of a column mean.
enum class ConvertedType : std::int32_t { utf8 = 0, list = 3, int16 = 16, int32 = 17, int64 = 18 };

/// Field numbers in the union LogicalType, the newer way to say what the values of a column mean.
inline constexpr int logical_string = 1, logical_list = 3, logical_enum = 4, logical_date = 6, logical_time = 7,
                     logical_timestamp = 8, logical_integer = 10, logical_unknown = 11, logical_json = 12;

/// Parquet stores numbers in little-endian order. The code copies them without conversion, which needs a little-endian
/// machine.
static_assert(std::endian::native == std::endian::little);

}  // namespace srcextract
