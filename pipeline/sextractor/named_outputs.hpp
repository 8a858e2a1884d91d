#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sextractor/translation.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// A check image to write, and the path that CHECKIMAGE_NAME gives.
struct NamedCheckImage {
  std::string type;                 ///< value of CHECKIMAGE_TYPE
  std::optional<CheckImage> which;  ///< srcextract's check image; empty: the label map, or the image itself (IDENTICAL)
  std::string path;
};

/// The output files of a run of `srcextract sextractor`.
struct NamedOutputs {
  std::string type;                 ///< value of CATALOG_TYPE
  std::string catalogue;            ///< path of the catalogue; empty: no catalogue, or one on standard output
  bool to_standard_output = false;  ///< whether a catalogue, which is text, goes to standard output
  std::string xml = {};             ///< path of the file with facts about the run (WRITE_XML); empty: none
  std::vector<NamedCheckImage> check_images = {};

  std::vector<std::string> files() const;
};

/// The outputs that CATALOG_NAME, CHECKIMAGE_NAME and XML_NAME name. Throws Error{config} if CHECKIMAGE_TYPE and
/// CHECKIMAGE_NAME have different numbers of values, if a check image is requested twice, if two outputs are the
/// same file, or if the catalogue is /dev/stdout.
NamedOutputs named_outputs(const sextractor::Request& request);

/// Throws Error{output} if the directory of an output is missing or not writable, or if an output is a directory or a
/// device.
void require_writable(const NamedOutputs& outputs);

}  // namespace srcextract
