#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/core/catalogue.hpp"
#include "python/core/extractor.hpp"
#include "python/core/gil.hpp"
#include "python/core/interrupt.hpp"
#include "python/core/stages/stages.hpp"

namespace srcextract::python {

/// The host with `threads` threads; 0: all.
Place<Cpu> host_place(int threads);

/// Returns work(), called without the GIL. Ctrl-C ends it if the image is large.
template <class Work>
auto do_stage(std::int64_t pixels, const Work& work) {
  constexpr std::int64_t few = std::int64_t{1} << 18;
  std::optional<decltype(work())> result;
  if (pixels > few) {
    do_interruptibly([&] { result.emplace(work()); });
  } else {
    const WithoutGil others;
    result.emplace(work());
  }
  return std::move(*result);
}

/// Measurements of an image's sources on the host, and facts about the image for the catalogue.
struct MeasuredOnHost {
  Detection<Cpu> found;                    ///< has background, whole, mesh, levels, sums, runs and labels
  const Pixels<Cpu>& pixels;               ///< its image has no pixels if nothing is measured on the host
  std::vector<std::int32_t> numbers = {};  ///< numbers of the sources, if not 1, 2, 3 ...
};

/// The catalogue of the measurements.
std::unique_ptr<Catalogue> catalogue_of(MeasuredOnHost&& measured, const Config& config, const std::string& yaml,
                                        const Cpu& where);

/// Columns of a table of positions by name. X_IMAGE and Y_IMAGE (the centre of the first pixel is 1) are required;
/// NUMBER, A_IMAGE, B_IMAGE, THETA_IMAGE and KRON_RADIUS are optional.
using PositionColumns = std::map<std::string, std::vector<double>>;

/// Measures light at positions in an image and returns the catalogue. `sky` has the image's background, whole, mesh and
/// levels, and the image minus the mesh.
std::unique_ptr<Catalogue> light_at(const PositionColumns& columns, MeasuredOnHost&& sky,
                                    const Configuration& configuration, const Cpu& where);

/// The configuration for light_at().
Config config_of_light(const PositionColumns& columns, const Configuration& configuration);

/// Throws Error{config} for settings that these functions do not support.
void check_stage_config(const Config& config);

/// Throws Error{config} if the configuration asks for deblending or cleaning and the labels had neither (`divided`).
void check_divided(std::int64_t sources, bool divided, const Config& config);

template <class Held>
std::pair<std::int64_t, std::int64_t> shape_of(const Held& held) {
  return {held.runs->shape.height, held.runs->shape.width};
}

/// The threshold as a pixel value, if known.
template <class Where>
std::optional<double> level_of(const HeldForeground<Where>& found) {
  return found.levels ? std::optional(found.levels->detection) : std::nullopt;
}

/// The stages for arrays of a GPU, if this build has CUDA.
void bind_stage_devices(nanobind::module_& module);

void bind_stage_images(nanobind::module_& module);
void bind_stage_sources(nanobind::module_& module);

}  // namespace srcextract::python
