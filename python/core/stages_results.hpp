#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "python/core/catalogue.hpp"
#include "python/core/extractor.hpp"
#include "python/core/stages.hpp"

namespace srcextract::python {

/// The host, with so many threads; 0: as many as there are.
Place<Cpu> host_place(int threads);

/// What was measured of the sources of an image, and what the catalogue says of the image beside.
struct MeasuredOnHost {
  Detection<Cpu> found;  ///< with background, whole, mesh, levels, sums, runs and labels
  Shape shape;
  MaskCounts masked;
  const std::vector<std::int32_t>& numbers;  ///< of the sources, where they are not 1, 2, 3 ...
};

/// Its catalogue. `image`, with which the noise of apertures is measured, is empty where that is not asked for.
std::unique_ptr<Catalogue> catalogue_of(MeasuredOnHost&& measured, const Image<float, Cpu>& image,
                                        const Configuration& configuration, const Cpu& where);

void bind_stage_images(nanobind::module_& module);
void bind_stage_sources(nanobind::module_& module);

}  // namespace srcextract::python
