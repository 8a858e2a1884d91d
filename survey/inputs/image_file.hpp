#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/overrides.hpp"

namespace srcextract {

/// A configuration that images are extracted with; those that have the same one share it.
struct ImageConfig {
  Config config;
  std::string yaml;  ///< dump_config
  std::string hash;  ///< of `yaml`, and of size and time of the files that it combines; 16 hexadecimal digits
  Config given;      ///< as it was written: a kernel may be in a file
  UnusedKeys unused = {};
};

/// Where the sources of an image are found instead (srcextract -d).
struct DetectionTask {
  std::string path;
  std::shared_ptr<const ImageConfig> given;  ///< that of the image, but for what is said of this one alone

  const Config& config() const { return given->config; }
};

/// An image in which the sources of another are measured, and what its columns are told apart by (srcextract --band).
struct BandFile {
  std::string name, path;
  std::vector<std::string> settings;         ///< dotted.key=value, of this band alone
  std::shared_ptr<const ImageConfig> given;  ///< with these
};

/// What an image is extracted with beside the files that its configuration names.
struct FilesBeside {
  std::optional<DetectionTask> detection = {};  ///< none: sources are found in the image itself
  std::vector<BandFile> bands = {};             ///< of one catalogue; the image is then where their sources are found
  std::string positions = {};  ///< the table of places at which it is measured; empty: where sources are
  std::uint64_t hash = 0;      ///< of what a survey calls them, and of their sizes and times
};

/// One FITS file of a survey.
struct ImageFile {
  std::string path;           ///< where it is read
  std::string name;           ///< what outputs are named after: "night1/a.fits", below the directory given as INPUT
  std::int64_t bytes = 0;     ///< 0 if it could not be looked at: opening it says why
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< null: none

  /// Null: its sources are found in itself.
  const DetectionTask* detection() const { return beside && beside->detection ? &*beside->detection : nullptr; }
  /// Whether it is measured in bands, for one catalogue of them.
  bool has_bands() const { return beside && !beside->bands.empty(); }
  /// Whether it is measured where a table says.
  bool has_positions() const { return beside && !beside->positions.empty(); }
};

}  // namespace srcextract
