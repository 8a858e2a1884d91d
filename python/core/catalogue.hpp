#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "io/catalog/catalog.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract::python {

/// The result of extracting an image, with all data that methods of the Python class need later.
struct Catalogue {
  std::string name;  ///< the image's name in messages
  ImageResult result;
  CatalogMetadata metadata;
  Config config;
  Shape shape;
  std::string header;  ///< header cards of the image
  Table carried = {};  ///< columns copied from the table of positions
  Table stars = {};    ///< sources that were considered for the PSF fitted to the image; filled by stars() or pickling
  Table gaussians, sources;  ///< tables of the Gaussians fitted to a radio map, and of their sources
  Cpu cpu = {};
  std::string report;  ///< the HTML page of output.report; empty if not requested
  /// Cut-outs, made when the catalogue was pickled, since the pixels are not pickled. Empty: not made yet.
  std::optional<Vignets> vignets = {};
};

/// Makes the catalogue of an extracted image. Does not refer to `input` after the return.
std::unique_ptr<Catalogue> catalogue_of(const ImageInput& input, ImageResult&& result, const Execution& run);

void bind_catalogue(nanobind::module_& module);

}  // namespace srcextract::python
