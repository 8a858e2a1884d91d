#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/tables/table_stream.hpp"

namespace srcextract {

/// Writes SOURCES as a directory of Parquet files, one for each cell of the sky that at most `most_rows` are in, in the
/// layout of HATS 1.0 (IVOA Note "Hierarchical Adaptive Tiling Scheme", 2025), as LSDB reads it:
///
///   hats.properties                              what it is, and how many rows it has
///   partition_info.csv                           the cells
///   dataset/_common_metadata                     a table of no rows
///   dataset/Norder=3/Dir=0/Npix=301.parquet      one of the cells, HEALPix, nested
///   images.parquet                               IMAGES
///   without_position.parquet                     rows without a position, if there are any
///
/// Before the columns stands _healpix_29, the cell of that order, and rows are in its order; those of one cell as they
/// came. Rows are put aside on disk until all are there: as much room again is needed; of those in memory there are
/// `most_bytes`, and 16 bytes for each row of a cell that has more. Throws Error{config} if there are no columns
/// ALPHA_J2000 and DELTA_J2000, and if what is at `path` is no such directory; Error{output}.
std::unique_ptr<StoredTables> make_hats_tables(const std::string& path, std::int64_t most_rows = 1'000'000,
                                               std::int64_t most_bytes = std::int64_t{256} << 20);

}  // namespace srcextract
