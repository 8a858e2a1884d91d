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

/// The result of an image, with everything that Python may ask for later.
struct Catalogue {
  std::string name;  ///< of the image, in messages
  ImageResult result;
  CatalogMetadata metadata;
  Config config;
  Shape shape;
  std::string header;        ///< header cards of the image
  Table carried = {};        ///< further columns of a table of positions
  Table stars = {};          ///< the sources that were considered for a PSF fitted to the image
  Table gaussians, sources;  ///< tables of the Gaussians fitted to a radio map, and of their sources
  Cpu cpu = {};
  std::string report;                   ///< the page of output.report; empty: not asked for
  std::optional<Vignets> vignets = {};  ///< as they were cut before the catalogue was pickled; none: not yet
};

/// Makes the catalogue of an extracted image. `input`, with all that it refers to, must stay alive until this returns.
std::unique_ptr<Catalogue> catalogue_of(const ImageInput& input, ImageResult&& result, const Execution& run);

void bind_catalogue(nanobind::module_& module);

}  // namespace srcextract::python
