#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "config/config.hpp"
#include "io/catalog/catalog.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract::python {

/// What became of an image, with all that is asked of it later.
struct Catalogue {
  std::string name;  ///< of the image, in messages
  ImageResult result;
  CatalogMetadata metadata;
  Config config;
  Shape shape;
  std::string header;  ///< cards of the image
  Table carried = {};  ///< of a table of positions
  Cpu cpu = {};
};

/// That of an extracted image, in whose place in memory nothing else may come before this returns.
std::unique_ptr<Catalogue> catalogue_of(const ImageInput& input, ImageResult&& result, const Cpu& cpu);

void bind_catalogue(nanobind::module_& module);

}  // namespace srcextract::python
