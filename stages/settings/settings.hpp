#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/settings/background.hpp"
#include "stages/settings/beam.hpp"
#include "stages/settings/combine.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/settings/crowd.hpp"
#include "stages/settings/deblend.hpp"
#include "stages/settings/detection.hpp"
#include "stages/settings/difference.hpp"
#include "stages/settings/fit.hpp"
#include "stages/settings/flags.hpp"
#include "stages/settings/input.hpp"
#include "stages/settings/mask.hpp"
#include "stages/settings/measurement.hpp"
#include "stages/settings/model.hpp"
#include "stages/settings/morphology.hpp"
#include "stages/settings/output.hpp"
#include "stages/settings/pixel_beam.hpp"
#include "stages/settings/psf.hpp"
#include "stages/settings/quicklook.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// How one of the two frames of `srcextract difference` is read, with its gain and saturation.
struct FrameSettings {
  CombineConfig combine;
  BackgroundConfig background;
  WeightsConfig weights;
  double gain = 0;        ///< in e-/count; 0: unknown
  double saturation = 0;  ///< in counts; 0: unknown

  bool operator==(const FrameSettings&) const = default;
};

/// Values that are not the value of a key: numbers in files that keys name (read by make_image_config), and values from
/// the image's header (read by pipeline/resolve).
struct Resources {
  using Numbers = std::shared_ptr<const std::vector<double>>;

  /// The numbers in files (Field::numbers, Field::tables). The map's key is the configuration key that names the file.
  /// A file may have one set of numbers for each image of a multi-extension file; pipeline/resolve keeps only the set
  /// of the present image.
  std::map<std::string, std::vector<Numbers>, std::less<>> files = {};
  double class_scale = 0;  ///< pixel scale in arcseconds for CLASS_STAR; 0: measurement.pixel_scale is used
  double saturation = 0;   ///< sources with a pixel of at least this value are flagged as saturated; 0: none
  /// Settings of the frames of a difference. Unset: the frame has the settings of the image itself (frame_settings).
  std::optional<FrameSettings> reference = {}, fresh = {};
  bool has_star_profile = false;  ///< whether the fit of a difference provides the shape of the stars
  /// The columns to write, as in output.columns, if alerts add columns to output.columns that are measured but not
  /// written. Unset: output.columns.
  std::optional<std::vector<std::string>> written_columns = {};
  std::optional<PixelBeam> beam = {};  ///< the image's beam; unset if no setting needs a beam (uses_beam)
  double frequency = 0;                ///< frequency in Hz of a radio map with a beam; 0: unknown

  /// The first set of numbers in the file that this configuration key names; null: the key names no file of numbers.
  const std::vector<double>* numbers_of(std::string_view key) const {
    const auto found = files.find(key);
    return found == files.end() ? nullptr : found->second.front().get();
  }

  /// Compares the numbers of files, not the pointers to them.
  bool operator==(const Resources& other) const {
    const auto same_set = [](const Numbers& a, const Numbers& b) { return a == b || *a == *b; };
    const auto same = [&](const auto& a, const auto& b) {
      return a.first == b.first && std::ranges::equal(a.second, b.second, same_set);
    };
    return class_scale == other.class_scale && saturation == other.saturation && reference == other.reference &&
           fresh == other.fresh && has_star_profile == other.has_star_profile &&
           written_columns == other.written_columns && beam == other.beam && frequency == other.frequency &&
           std::ranges::equal(files, other.files, same);
  }
};

struct Settings {
  InputConfig input;
  WcsConfig wcs;
  BeamConfig beam;
  CombineConfig combine;
  BackgroundConfig background;
  GivenSkyConfig given_sky;  ///< the keys `level`, `level_hdu` and `rms` of the section `background`
  WeightsConfig weights;
  MaskConfig mask;
  FlagsConfig flags;
  ConvolveConfig convolve;
  DetectionConfig detection;
  MorphologyConfig morphology;
  DeblendConfig deblend;
  FitConfig fit;
  ModelConfig model;
  MeasurementConfig measurement;
  DifferenceConfig difference;
  PsfConfig psf;
  CrowdConfig crowd;
  OutputConfig output;
  QuicklookConfig quicklook;

  Resources resources;

  bool operator==(const Settings&) const = default;
};

inline bool fits_gaussians(const Settings& of) {
  return of.fit.model == FitModel::gaussians;
}

/// Whether profiles of galaxies are fitted to the sources (model.fit).
inline bool fits_galaxies(const Settings& of) {
  return of.model.fit != ModelFit::none;
}

/// Whether the cleaning stage follows deblending: CLEAN, or dropping of sources above detection.max_area.
inline bool cleans_sources(const Settings& of) {
  return of.deblend.clean || of.detection.max_area > 0;
}

/// Whether the image is the weighted mean of a radio cube's channels. The channels are then read one by one.
inline bool combines_channels(const Settings& of) {
  return fits_gaussians(of) && of.combine.method == CombineMethod::inverse_variance && of.combine.hdus.empty() &&
         of.combine.files.empty();
}

inline bool measures_cube(const Settings& of) {
  return fits_gaussians(of) && (of.fit.channels || of.fit.stokes);
}

/// Whether all stars are fitted at once (crowd.method), which replaces detection.
inline bool fits_crowd(const Settings& of) {
  return of.crowd.method == CrowdMethod::joint;
}

/// Whether a setting needs the beam of the image; Resources::beam must then be set.
inline bool uses_beam(const Settings& of) {
  return fits_gaussians(of) || of.background.mesh_beams > 0;
}

/// The settings with which the image itself is read. reference_settings and fresh_settings return the same, unless
/// Resources has separate settings for that frame of a difference.
inline FrameSettings frame_settings(const Settings& of) {
  return {of.combine, of.background, of.weights, of.measurement.gain, of.resources.saturation};
}
inline FrameSettings reference_settings(const Settings& of) {
  return of.resources.reference ? *of.resources.reference : frame_settings(of);
}
inline FrameSettings fresh_settings(const Settings& of) {
  return of.resources.fresh ? *of.resources.fresh : frame_settings(of);
}

/// Whether one of the frames of a difference has a weight map.
inline bool frames_have_maps(const Settings& of) {
  return has_map(reference_settings(of).weights) || has_map(fresh_settings(of).weights);
}

}  // namespace srcextract
