#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// What messages call the ways in which somebody asks for such files: options of the command line, or columns of a
/// manifest.
struct NamesBeside {
  std::string detect = "-d", detect_set = "--detect-set ", positions = "--positions";
};

/// Throws Error{config} if a setting of the detection image alone is of another section than those that say how an
/// image is read and what its sky is: `input`, `combine`, `background`, `weights` and `mask`.
void require_detection_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Throws Error{config} if sources cannot be found in one image and measured in another with this configuration.
void require_detection_config(const Config& config, const NamesBeside& names = {});

/// Throws Error{config} if the configuration asks for what there is not where nothing is found.
void require_forced_config(const Config& config, const NamesBeside& names = {});

/// The hash of what a survey calls such files (which may be below the place where it is), with size and time of those
/// that are at these paths, and of the detection image's configuration. An empty name is no file.
std::uint64_t hash_of_files_beside(const FilesBeside& beside, const std::string& detection_name,
                                   const std::string& positions_name);

/// What all that an image is extracted with has: ImageConfig::hash, or where there are files beside it another, which
/// changes with them as well.
std::string hash_of_config(const ImageFile& file);

/// What the outputs of an image of that name, measured at given positions, are called after, so that they do not
/// replace those of its sources: "m31.forced".
std::string forced_name(const std::string& name);

}  // namespace srcextract
