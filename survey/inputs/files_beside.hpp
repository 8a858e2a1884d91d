#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Texts with which messages name the ways to give files beside an image (FilesBeside). The defaults are command line
/// options; a manifest has columns in their place.
struct NamesBeside {
  std::string detect = "-d", detect_set = "--detect-set ", positions = "--positions",
              reference_set = "--reference-set ", band = "--band", band_hdu = "--band-set NAME:input.hdu=",
              detect_hdu = "--detect-set input.hdu=", instead = "run srcextract -d DETECT CONFIG IMAGE for each";
};

/// Throws Error{config} if `settings` of the detection image have a forbidden key. Allowed are the sections `input`,
/// `combine`, `background`, `weights` and `mask`.
void require_detection_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Throws Error{config} if `settings` of the reference frame have a forbidden key. Allowed are the sections `input`,
/// `combine`, `background`, `weights` and `mask`, and the gain and saturation keys of `measurement`.
void require_reference_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Error message if a band cannot have its own value of this setting (`section.key=value`); empty if it can. Allowed
/// are the sections `background`, `combine`, `flags`, `input`, `mask`, `measurement`, `psf` and `weights`, except for
/// measurement.pixel_scale.
std::string problem_of_band_setting(const std::string& setting);

/// Throws Error{config} if the configuration does not go together with these files beside an image: a reference,
/// positions, a detection image, or bands. Some settings would have no effect; others make sense for a single image
/// only.
void require_config_beside(const Config& config, const FilesBeside& beside, const NamesBeside& names = {});

/// The paths of the files beside an image as the user wrote them, perhaps relative to a manifest; empty: no file. These
/// paths are part of the hash, so the hash does not depend on where the survey's directory is.
struct SurveyNames {
  std::string detection = {}, positions = {}, reference = {};
  std::vector<std::string> bands = {};
};

/// Hash of `names`, of the sizes and modification times of the files, and of the configurations of the detection image,
/// the reference and the bands.
std::uint64_t hash_of_files_beside(const FilesBeside& beside, const SurveyNames& names);

/// Hash of the configuration and files that determine an image's extraction: ImageConfig::hash, combined with
/// FilesBeside::hash if there are files beside the image. The image file itself is not included.
std::string hash_of_config(const ImageFile& file);

/// Returns a warning if catalogues of the survey will have different columns; empty if not. That is so if images have
/// different bands, or if only some images are differences or are measured at given positions.
std::string describe_kinds(const ImageFiles& files);

/// Base names of the outputs of an image that is measured at given positions ("m31.forced") or in bands ("m31.bands"),
/// or of a difference ("m31.diff"). `name` is ImageFile::name; its own outputs have the base name "m31".
std::string forced_name(const std::string& name);
std::string bands_name(const std::string& name);
std::string difference_name(const std::string& name);

}  // namespace srcextract
