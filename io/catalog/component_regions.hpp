#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Writes the rows of a table with PyBDSF's columns in a format of another program; the caller commits the file. Rows
/// without a position on the sky are left out. Formats:
/// - reg: DS9 ellipses at half the peak value. The colour shows PyBDSF's S_Code: green for S, cyan for C, magenta for
/// M;
/// - ann: annotations of the viewer kvis, with full axes of the ellipses;
/// - skymodel: a sky model for the LOFAR programs BBS and DP3, with sizes deconvolved from the beam.
///
/// `frequency` is the reference frequency of the sky model in Hz, or 0 if unknown. Throws Error{output} or
/// Error{storage}.
[[nodiscard]] OutputFile write_component_regions(const std::string& path, ComponentRegions format,
                                                 const Table& components, double frequency);

}  // namespace srcextract
