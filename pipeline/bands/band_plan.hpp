#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/overrides.hpp"
#include "pipeline/exposure/open_detection.hpp"
#include "pipeline/options/band_options.hpp"
#include "survey/journal/plan.hpp"

namespace srcextract {

/// A band in which sources of another image are to be measured.
struct Band {
  BandOption option;
  PlannedFile planned;  ///< with its configuration, and the name that outputs of all bands have

  const ImageFile& file() const { return planned.file; }
  const Config& config() const { return planned.file.config->config; }
};

/// The bands, each with the configuration or, where it has settings of its own, with its own of `configs`. Outputs have
/// `output_name`, and sources are found in the image of `detection`. Throws Error{config} if a configuration asks for
/// what there is of one image alone: the picture, check images and VIGNET, several HDUs; and so if that of the
/// detection image does.
std::vector<Band> plan_bands(const std::vector<BandOption>& options, const Config& config,
                             std::span<const GivenConfig> configs, const std::string& output_name,
                             const std::shared_ptr<const FilesBeside>& detection);

}  // namespace srcextract
