#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

/// Throws Error{config} where labels were to be deblended or cleaned, and are not.
void check_divided(std::int64_t sources, bool divided, const Config& config);

template <class Held>
std::pair<std::int64_t, std::int64_t> shape_of(const Held& held) {
  return {held.runs->shape.height, held.runs->shape.width};
}

/// The threshold as a pixel value, if it is known.
template <class Where>
std::optional<double> level_of(const HeldForeground<Where>& found) {
  return found.levels ? std::optional(found.levels->detection) : std::nullopt;
}

/// The stages on arrays of a GPU, if this build has them.
void bind_stage_devices(nanobind::module_& module);

void bind_stage_images(nanobind::module_& module);
void bind_stage_sources(nanobind::module_& module);

}  // namespace srcextract::python
