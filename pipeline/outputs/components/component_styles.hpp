#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Rewrites the table of component_table with the names, units and UCDs of a style:
/// - pybdsf: unchanged;
/// - aegean: the columns of Aegean's tables of components. Errors are -1 where there is none. The uuid follows from
///   the numbers of the row and `datasum`, the image's checksum;
/// - casda: the columns of components in CASDA, the archive of ASKAP, in mJy.
/// `config` is resolved.
Table styled(Table components, TableStyle style, std::uint32_t datasum, const Config& config);

}  // namespace srcextract
