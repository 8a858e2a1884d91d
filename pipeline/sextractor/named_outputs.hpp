#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sextractor/translation.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// A check image to write, and the path that the user gave it.
struct NamedCheckImage {
  std::string type;                 ///< CHECKIMAGE_TYPE
  std::optional<CheckImage> which;  ///< empty: the label map, or the image itself (IDENTICAL)
  std::string path;
};

/// The output files of a run of `srcextract sextractor`.
struct NamedOutputs {
  std::string type;                 ///< CATALOG_TYPE
  std::string catalogue;            ///< empty: no file, or standard output
  bool to_standard_output = false;  ///< the catalogue, then text, goes to standard output
  std::string xml = {};             ///< facts of the run (WRITE_XML); empty: none
  std::vector<NamedCheckImage> check_images = {};

  std::vector<std::string> files() const;
};

/// The outputs that CATALOG_NAME, CHECKIMAGE_NAME and XML_NAME name. Throws Error{config} if the numbers of check
/// images and names differ, or two outputs are one file.
NamedOutputs named_outputs(const sextractor::Request& request);

/// Throws Error{output} if the directory of an output is missing or not writable.
void require_writable(const NamedOutputs& outputs);

}  // namespace srcextract
