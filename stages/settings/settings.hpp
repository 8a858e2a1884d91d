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
#include "stages/settings/morphology.hpp"
#include "stages/settings/output.hpp"
#include "stages/settings/pixel_beam.hpp"
#include "stages/settings/psf.hpp"
#include "stages/settings/quicklook.hpp"
#include "stages/settings/weights.hpp"

namespace srcextract {

/// How a frame of a difference is read, with its gain and saturation.
struct FrameSettings {
  CombineConfig combine;
  BackgroundConfig background;
  WeightsConfig weights;
  double gain = 0;        ///< in e-/count; 0 = not known
  double saturation = 0;  ///< in counts; 0 = not known

  bool operator==(const FrameSettings&) const = default;
};

/// Values that no key gives: numbers in files that keys name (make_image_config), and values from the image's header
/// (pipeline/resolve).
struct Resources {
  using Numbers = std::shared_ptr<const std::vector<double>>;

  /// The numbers of files (Field::numbers, Field::tables), by the path of the key that names the file. A file may have
  /// one set for each image of the image's file; pipeline/resolve keeps only the set of this image.
  std::map<std::string, std::vector<Numbers>, std::less<>> files = {};
  double class_scale = 0;  ///< pixel scale for CLASS_STAR; 0: measurement.pixel_scale
  double saturation = 0;   ///< sources with a pixel of at least this value are flagged; 0 = no source is
  /// for a difference; unset: the settings of the image itself
  std::optional<FrameSettings> reference = {}, fresh = {};
  bool has_star_profile = false;  ///< a later step will find the shape of the image's stars
  /// The words of output.columns that are to be written, if alerts make more columns necessary; else unset.
  std::optional<std::vector<std::string>> written_columns = {};
  std::optional<PixelBeam> beam = {};  ///< if a setting needs it (uses_beam)
  double frequency = 0;                ///< of a radio map with a beam, in Hz; 0: unknown

  /// The first set of numbers of the file that this key names; null: the key names no file.
  const std::vector<double>* numbers_of(std::string_view key) const {
    const auto found = files.find(key);
    return found == files.end() ? nullptr : found->second.front().get();
  }

  /// Files are equal if their numbers are.
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

/// The part of a configuration that stages use: the values of all keys, and resources.
struct Settings {
  InputConfig input;
  BeamConfig beam;
  CombineConfig combine;
  BackgroundConfig background;
  GivenSkyConfig given_sky;  ///< keys of the section `background`
  WeightsConfig weights;
  MaskConfig mask;
  FlagsConfig flags;
  ConvolveConfig convolve;
  DetectionConfig detection;
  MorphologyConfig morphology;
  DeblendConfig deblend;
  FitConfig fit;
  MeasurementConfig measurement;
  DifferenceConfig difference;
  PsfConfig psf;
  CrowdConfig crowd;
  OutputConfig output;
  QuicklookConfig quicklook;

  Resources resources;

  bool operator==(const Settings&) const = default;
};

/// Whether Gaussians are fitted to islands.
inline bool fits_gaussians(const Settings& of) {
  return of.fit.model == FitModel::gaussians;
}

/// Whether deblending is followed by the stage that joins or drops sources: CLEAN, or a largest area.
inline bool cleans_sources(const Settings& of) {
  return of.deblend.clean || of.detection.max_area > 0;
}

/// Whether the image is the weighted mean of a radio cube's channels, which are then read one by one.
inline bool combines_channels(const Settings& of) {
  return fits_gaussians(of) && of.combine.method == CombineMethod::inverse_variance && of.combine.hdus.empty() &&
         of.combine.files.empty();
}

/// Whether fitted Gaussians are measured in planes of a cube.
inline bool measures_cube(const Settings& of) {
  return fits_gaussians(of) && (of.fit.channels || of.fit.stokes);
}

/// Whether all stars are fitted at once, which replaces detection.
inline bool fits_crowd(const Settings& of) {
  return of.crowd.method == CrowdMethod::joint;
}

/// Whether some setting needs the beam of the image, which Resources must then have.
inline bool uses_beam(const Settings& of) {
  return fits_gaussians(of) || of.background.mesh_beams > 0;
}

/// How the image itself is read. reference_settings and fresh_settings return the same, unless a difference has
/// settings of its own for that frame.
inline FrameSettings frame_settings(const Settings& of) {
  return {of.combine, of.background, of.weights, of.measurement.gain, of.resources.saturation};
}
inline FrameSettings reference_settings(const Settings& of) {
  return of.resources.reference ? *of.resources.reference : frame_settings(of);
}
inline FrameSettings fresh_settings(const Settings& of) {
  return of.resources.fresh ? *of.resources.fresh : frame_settings(of);
}

/// Whether one of the frames of a difference has a map of its noise.
inline bool frames_have_maps(const Settings& of) {
  return has_map(reference_settings(of).weights) || has_map(fresh_settings(of).weights);
}

}  // namespace srcextract
