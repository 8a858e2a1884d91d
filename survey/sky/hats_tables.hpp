#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// Writes SOURCES as a directory of Parquet files, one per sky cell of at most `most_rows` rows, in the layout of HATS
/// 1.0 (IVOA Note "Hierarchical Adaptive Tiling Scheme", 2025), as LSDB reads it:
///
///   hats.properties                              properties, such as the number of rows
///   partition_info.csv                           the cells
///   dataset/_common_metadata                     an empty table
///   dataset/Norder=3/Dir=0/Npix=301.parquet      one of the cells, HEALPix, nested
///   images.parquet                               IMAGES
///   without_position.parquet                     rows without a position, if there are any
///
/// The first column is _healpix_29, the cell of order 29, and rows are sorted by it; rows of one cell keep their order.
/// Rows are stored temporarily on disk, which needs the same space again. Memory use is `most_bytes` of rows; for a
/// cell whose rows take more than that, also 16 bytes for each of them. Throws Error{config} without columns
/// ALPHA_J2000 and DELTA_J2000, and if `path` exists and is no such directory. Throws Error{output}.
std::unique_ptr<StoredTables> make_hats_tables(const std::string& path, std::int64_t most_rows = 1'000'000,
                                               std::int64_t most_bytes = std::int64_t{256} << 20);

}  // namespace srcextract
