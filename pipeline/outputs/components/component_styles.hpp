#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Rewrites a table of component_table() with the names, units and UCDs of a style:
/// - pybdsf: unchanged.
/// - aegean: the columns of Aegean's component tables. An unknown error is -1. The uuid consists of `datasum`, the
///   checksum of the image, and the numbers of the row.
/// - casda: the columns of component tables in CASDA, the archive of ASKAP, with fluxes in mJy.
///
/// `config` is the result of resolve(), which sets the beam and the frequency.
Table styled(Table components, TableStyle style, std::uint32_t datasum, const Config& config);

}  // namespace srcextract
