#pragma once

#include <string>

#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Writes the rows of a table with PyBDSF's columns for another program; the caller commits the file. Rows without a
/// position on the sky are left out. Formats:
/// - reg: DS9 ellipses at half the peak, green where S_Code is S, cyan where it is C, magenta where it is M;
/// - ann: annotations of kvis, ellipses with full axes;
/// - skymodel: a model of the sky for BBS and DP3, with sizes deconvolved from the beam. `frequency` is in Hz; 0: not
///   known.
/// Throws Error{output}.
[[nodiscard]] OutputFile write_component_regions(const std::string& path, ComponentRegions format,
                                                 const Table& components, double frequency);

}  // namespace srcextract
