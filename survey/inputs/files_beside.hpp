#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// What messages call the ways in which somebody asks for such files: options of the command line, or columns of a
/// manifest.
struct NamesBeside {
  std::string detect = "-d", detect_set = "--detect-set ", positions = "--positions", band = "--band",
              band_hdu = "--band-set NAME:input.hdu=", detect_hdu = "--detect-set input.hdu=",
              instead = "run srcextract -d DETECT CONFIG IMAGE for each";
};

/// Throws Error{config} if a setting of the detection image alone is of another section than those that say how an
/// image is read and what its sky is: `input`, `combine`, `background`, `weights` and `mask`.
void require_detection_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Throws Error{config} if sources cannot be found in one image and measured in another with this configuration.
void require_detection_config(const Config& config, const NamesBeside& names = {});

/// Throws Error{config} if the configuration asks for what there is not where nothing is found.
void require_forced_config(const Config& config, const NamesBeside& names = {});

/// Why a band cannot have a setting (`dotted.key=value`) of its own; empty if it can. It has those of `background`,
/// `combine`, `flags`, `input`, `mask`, `measurement` and `weights`, but for measurement.pixel_scale.
std::string problem_of_band_setting(const std::string& setting);

/// Throws Error{config} if a configuration asks for what there is of one image alone, the picture, check images and
/// VIGNET, several HDUs; and so if that of a band, or of the detection image, does.
void require_bands_config(const Config& config, const FilesBeside& beside, const NamesBeside& names = {});

/// The hash of what a survey calls such files (which may be below the place where it is), with size and time of those
/// that are at these paths, and of the detection image's configuration. An empty name is no file.
std::uint64_t hash_of_files_beside(const FilesBeside& beside, const std::string& detection_name,
                                   const std::string& positions_name, const std::vector<std::string>& band_names);

/// What all that an image is extracted with has: ImageConfig::hash, or where there are files beside it another, which
/// changes with them as well.
std::string hash_of_config(const ImageFile& file);

/// What there is to say of images whose catalogues have different columns, for they differ in their bands, or only some
/// are measured at given positions; empty if there are none.
std::string describe_kinds(const ImageFiles& files);

/// What the outputs of an image of that name, measured at given positions or in bands, are called after, so that they
/// do not replace those of its sources: "m31.forced", "m31.bands".
std::string forced_name(const std::string& name);
std::string bands_name(const std::string& name);

}  // namespace srcextract
