#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings/output.hpp"
#include "sextractor/translation.hpp"

namespace srcextract {

/// A check image under the name that somebody gave it.
struct NamedCheckImage {
  std::string type;                 ///< CHECKIMAGE_TYPE
  std::optional<CheckImage> which;  ///< none: the image itself (IDENTICAL), or the map of labels
  std::string path;
};

/// What a run of `srcextract sextractor` writes.
struct NamedOutputs {
  std::string type;                 ///< CATALOG_TYPE
  std::string catalogue;            ///< empty: none, or standard output
  bool to_standard_output = false;  ///< of the catalogue, which is text then
  std::vector<NamedCheckImage> check_images = {};

  bool has_catalogue() const { return to_standard_output || !catalogue.empty(); }
  std::vector<std::string> files() const;
};

/// The outputs that CATALOG_NAME and CHECKIMAGE_NAME name. Throws Error{config} if check images and their names are not
/// as many, or two outputs are one file.
NamedOutputs named_outputs(const sextractor::Request& request);

/// Throws Error{output} if there is no directory for one of them, or one that may not be written to.
void require_writable(const NamedOutputs& outputs);

}  // namespace srcextract
