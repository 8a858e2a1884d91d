#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// Makes a writer of SOURCES and IMAGES as a directory of Parquet files. Each sky cell is a file with at most
/// `most_rows` rows; only cells of SkyCells::smallest_order may have more. The layout is HATS 1.0 (IVOA Note
/// "Hierarchical Adaptive Tiling Scheme", 2025), which LSDB reads:
///
///   hats.properties                              properties, such as the number of rows
///   partition_info.csv                           the list of cells
///   dataset/_common_metadata                     a table with the columns and no rows
///   dataset/Norder=3/Dir=0/Npix=301.parquet      a cell: order and number in the nested scheme of HEALPix
///   images.parquet                               the table IMAGES
///   without_position.parquet                     rows of SOURCES without a position, if there are any
///
/// The first column is _healpix_29, the cell of order 29. Rows are sorted by this column; rows of one cell keep their
/// order.
///
/// All rows are first written to a temporary file, which takes as much disk space as the rows. At most `most_bytes` of
/// rows are in memory; for a cell whose rows take more, the rows stay on disk, and 16 bytes per row are in memory.
/// Throws Error{config} if `path` exists and is neither such a directory nor empty. The writer throws Error{config} if
/// there are no columns ALPHA_J2000 and DELTA_J2000, and Error{output} if writing fails.
std::unique_ptr<StoredTables> make_hats_tables(const std::string& path, std::int64_t most_rows = 1'000'000,
                                               std::int64_t most_bytes = std::int64_t{256} << 20);

}  // namespace srcextract
