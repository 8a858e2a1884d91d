#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Names in messages for the ways to ask for files beside an image: command line options or manifest columns.
struct NamesBeside {
  std::string detect = "-d", detect_set = "--detect-set ", positions = "--positions",
              reference_set = "--reference-set ", band = "--band", band_hdu = "--band-set NAME:input.hdu=",
              detect_hdu = "--detect-set input.hdu=", instead = "run srcextract -d DETECT CONFIG IMAGE for each";
};

/// Throws Error{config} if a setting for the detection image alone concerns neither reading nor sky. Allowed are the
/// sections `input`, `combine`, `background`, `weights` and `mask`.
void require_detection_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Throws Error{config} if the reference frame cannot have its own value of a setting. Allowed are the sections
/// `input`, `combine`, `background`, `weights` and `mask`, and gain and saturation.
void require_reference_settings(const std::vector<std::string>& settings, const NamesBeside& names = {});

/// Why a band cannot have its own value of a setting (`dotted.key=value`); empty if it can. Allowed sections are
/// `background`, `combine`, `flags`, `input`, `mask`, `measurement`, `psf` and `weights`, without
/// measurement.pixel_scale.
std::string problem_of_band_setting(const std::string& setting);

/// Throws Error{config} if the configuration does not allow these files beside an image: a reference, positions, a
/// detection image, bands. Some settings have no use with such files; others only make sense for a single image.
void require_config_beside(const Config& config, const FilesBeside& beside, const NamesBeside& names = {});

/// The names by which a survey calls the files beside an image. The names may be relative to the survey's directory;
/// empty: no file.
struct SurveyNames {
  std::string detection = {}, positions = {}, reference = {};
  std::vector<std::string> bands = {};
};

/// Hash of these names, of the files' sizes and times, and of the configurations of the detection image, the reference
/// and the bands.
std::uint64_t hash_of_files_beside(const FilesBeside& beside, const SurveyNames& names);

/// Hash of everything that determines an image's extraction: ImageConfig::hash, combined with FilesBeside::hash if
/// there are files beside the image.
std::string hash_of_config(const ImageFile& file);

/// Returns a warning if catalogues of the survey will have different columns; empty if not. Columns differ if images
/// have different bands, or if only some images are differences or are measured at given positions.
std::string describe_kinds(const ImageFiles& files);

/// Base name of the outputs of an image measured at given positions or in bands, or of a difference; differs from the
/// base name of normal outputs: "m31.forced", "m31.bands", "m31.diff".
std::string forced_name(const std::string& name);
std::string bands_name(const std::string& name);
std::string difference_name(const std::string& name);

}  // namespace srcextract
