#pragma once

#include <cstdint>
#include <memory>
#include <string>

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

/// One FITS file of a survey.
struct ImageFile {
  std::string path;           ///< where it is read
  std::string name;           ///< what outputs are named after: "night1/a.fits", below the directory given as INPUT
  std::int64_t bytes = 0;     ///< 0 if it could not be looked at: opening it says why
  std::int64_t modified = 0;  ///< nanoseconds since 1970
  std::shared_ptr<const ImageConfig> config;
};

}  // namespace srcextract
