#pragma once

namespace srcextract {

/// Compression of the pages in a Parquet file.
enum class ParquetCompression { none, zstd };

}  // namespace srcextract
