#pragma once

namespace srcextract {

/// How the pages of a Parquet file are compressed.
enum class ParquetCompression { none, zstd };

}  // namespace srcextract
