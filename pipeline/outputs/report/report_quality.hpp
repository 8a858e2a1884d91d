#pragma once

#include <string>

#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// Parts of a page about the quality of a catalogue: links to its sections, and these. Empty if nothing was asked for.
struct QualityParts {
  std::string links, sections;
};

/// Completeness by copies of stars or, of a radio map, by injected Gaussians; and reliability by the negated map.
QualityParts quality_parts(const RunRecord& record);

}  // namespace srcextract
