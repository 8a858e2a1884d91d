#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// A band in which sources of another image are to be measured.
struct Band {
  const BandFile& option;
  PlannedFile planned;  ///< with its configuration, and the name that outputs of all bands have

  const ImageFile& file() const { return planned.file; }
  const Config& config() const { return planned.file.config->config; }
};

/// The bands of a file that has some, which must outlive them.
std::vector<Band> bands_of(const ImageFile& file);

}  // namespace srcextract
