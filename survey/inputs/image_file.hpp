#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace srcextract {

/// A configuration for extracting images. Images with the same configuration share the object.
struct ImageConfig {
  Config config;
  std::string yaml;  ///< from dump_config
  std::string hash;  ///< hash of `yaml`, and of size and time of the files that keys name; 16 hexadecimal digits
  Config given;      ///< the configuration as written, where a kernel may be the name of a file
  UnusedKeys unused = {};
};

/// Another image, in which sources are detected before they are measured in the image itself (srcextract -d).
struct DetectionTask {
  std::string path;
  std::shared_ptr<const ImageConfig> given;  ///< the measured image's configuration, with settings for the detection
                                             ///< image alone

  const Config& config() const { return given->config; }
};

/// An image in which the sources of another are measured, and the name that marks its columns (srcextract --band).
struct BandFile {
  std::string name, path;
  std::vector<std::string> settings;         ///< dotted.key=value, for this band alone
  std::shared_ptr<const ImageConfig> given;  ///< with `settings` applied
};

/// Further files that one image needs and that its configuration does not name.
struct FilesBeside {
  std::optional<DetectionTask> detection = {};  ///< empty: sources are detected in the image itself
  std::vector<BandFile> bands = {};             ///< images whose measurements go to one catalogue; sources are then
                                                ///< detected in `detection`
  std::string positions = {};                   ///< the table of positions to measure; empty: detected sources
  std::string reference = {};                   ///< the frame that is subtracted from the image; empty: none. Until
                                                ///< choose_references() it may be a folder of frames
  std::string no_reference = {};                ///< why no frame of the folder `reference` can be subtracted; empty:
                                                ///< one can
  std::shared_ptr<const ImageConfig> of_reference = nullptr;  ///< its configuration; null: the image's, without maps
  std::uint64_t hash = 0;  ///< from hash_of_files_beside(), and of the frame that choose_references() took
};

/// The numbers of a file's inode and of its device. All names of one file, as hard and symbolic links, have the same
/// numbers. A device's number has 32 bits on Linux.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::uint32_t device = 0;

  auto operator<=>(const FileIdentity&) const = default;  // NOLINT(modernize-use-nullptr): of clang-tidy 14
};

/// One FITS file of a survey.
struct ImageFile {
  std::string path;           ///< path to open
  std::string name;           ///< base name of outputs: "night1/a.fits", relative to the directory given as INPUT
  std::int64_t bytes = 0;     ///< 0 if the file's status could not be read; opening the file reports why
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< null: none
  FileIdentity identity = {};                           ///< unset if `bytes` could not be read

  /// The detection image; null: sources are detected in the image itself.
  const DetectionTask* detection() const { return beside && beside->detection ? &*beside->detection : nullptr; }
  /// Whether the file is measured in bands, for one catalogue.
  bool has_bands() const { return beside && !beside->bands.empty(); }
  /// Whether the file is measured at positions of a table.
  bool has_positions() const { return beside && !beside->positions.empty(); }
  /// Whether a reference frame is subtracted from the file.
  bool has_reference() const { return beside && !beside->reference.empty(); }
};

}  // namespace srcextract
