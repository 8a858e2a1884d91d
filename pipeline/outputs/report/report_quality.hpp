#pragma once

#include <string>

#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// HTML about the quality of a catalogue: sections, and links to these sections. Empty if nothing was requested.
struct QualityParts {
  std::string links, sections;
};

/// Makes the sections: completeness from copies of stars or, for a radio map, from injected Gaussians; reliability from
/// the sources of the negated map.
QualityParts quality_parts(const RunRecord& record);

}  // namespace srcextract
