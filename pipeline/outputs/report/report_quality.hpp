#pragma once

#include <string>

#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// Parts of a page about the quality of a catalogue, as HTML: its sections, and links to them. Empty if nothing was
/// asked for.
struct QualityParts {
  std::string links, sections;
};

/// Makes the parts: completeness by copies of stars or, for a radio map, by injected Gaussians; reliability by the
/// negated map.
QualityParts quality_parts(const RunRecord& record);

}  // namespace srcextract
