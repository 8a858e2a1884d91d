#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace srcextract {

/// A configuration with which images are extracted. Images with the same configuration share the object.
struct ImageConfig {
  Config config;
  std::string yaml;  ///< text of the configuration, from dump_config()
  std::string hash;  ///< hash of `yaml`, and of size and modification time of the files that keys name; 16 hexadecimal
                     ///< digits
  Config given;      ///< the configuration as the user wrote it, where a kernel may be the name of a file
  UnusedKeys unused = {};
};

/// Another image, in which sources are detected that are then measured in the image itself (srcextract -d).
struct DetectionTask {
  std::string path;
  /// The measured image's configuration, changed by the settings for the detection image alone.
  std::shared_ptr<const ImageConfig> given;

  const Config& config() const { return given->config; }
};

/// An image in which the sources of a detection image are measured, and the name of the band, which marks its columns
/// (srcextract --band).
struct BandFile {
  std::string name, path;
  std::vector<std::string> settings;         ///< settings (section.key=value) for this band alone
  std::shared_ptr<const ImageConfig> given;  ///< configuration with `settings` applied
};

/// Files beside an image: further files that its extraction needs and that are not named in its configuration.
struct FilesBeside {
  std::optional<DetectionTask> detection = {};  ///< unset: sources are detected in the image itself
  /// Images whose measurements go to one catalogue. If there are any, sources are detected in `detection`.
  std::vector<BandFile> bands = {};
  std::string positions = {};  ///< table of positions at which to measure; empty: sources are detected
  /// The frame that is subtracted from the image; empty: none. Before choose_references() this may be a folder of
  /// frames.
  std::string reference = {};
  /// The reason why no frame of the folder `reference` can be subtracted; empty if one can.
  std::string no_reference = {};
  /// Configuration of the reference; null: the image's configuration without maps.
  std::shared_ptr<const ImageConfig> of_reference = nullptr;
  std::uint64_t hash = 0;  ///< from hash_of_files_beside(), combined with the frame that choose_references() chose
};

/// Inode number and device number of a file. All names of one file, such as hard and symbolic links, have the same
/// identity. Linux has 32-bit device numbers.
struct FileIdentity {
  std::uint64_t inode = 0;
  std::uint32_t device = 0;

  auto operator<=>(const FileIdentity&) const = default;  // NOLINT(modernize-use-nullptr): of clang-tidy 14
};

/// A FITS file of a survey, with the configuration and further files for its extraction.
struct ImageFile {
  std::string path;
  std::string name;           ///< name in the survey, from which output names are made: "night1/a.fits", relative to
                              ///< the directory given as INPUT
  std::int64_t bytes = 0;     ///< size; 0 if the file's status could not be read (opening the file then reports why)
  std::int64_t modified = 0;  ///< modification time in nanoseconds since 1970
  std::shared_ptr<const ImageConfig> config;
  std::shared_ptr<const FilesBeside> beside = nullptr;  ///< null: no files beside the image
  FileIdentity identity = {};                           ///< zeros if the file's status could not be read

  const DetectionTask* detection() const { return beside && beside->detection ? &*beside->detection : nullptr; }
  bool has_bands() const { return beside && !beside->bands.empty(); }
  bool has_positions() const { return beside && !beside->positions.empty(); }
  bool has_reference() const { return beside && !beside->reference.empty(); }
};

}  // namespace srcextract
