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

/// The host with `threads` threads; 0: all threads that this process may use.
Place<Cpu> host_place(int threads);

/// Returns work(), called without the GIL. For images of more than 2^18 pixels, Ctrl-C stops the work.
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

/// Measurements of an image's sources in host memory, and what else a catalogue needs.
struct MeasuredOnHost {
  Detection<Cpu> found;       ///< must contain background, whole, mesh, levels, sums, runs and labels
  const Pixels<Cpu>& pixels;  ///< shape and mask counts of the image; also the pixels if the host measures pixels
  std::vector<std::int32_t> numbers = {};  ///< NUMBER of each source; empty: 1, 2, 3 ...
};

/// Makes a catalogue of the measurements.
std::unique_ptr<Catalogue> catalogue_of(MeasuredOnHost&& measured, const Config& config, const std::string& yaml,
                                        const Cpu& where);

/// Columns of a table of positions by name. X_IMAGE and Y_IMAGE (the centre of the first pixel is 1) are required;
/// NUMBER, A_IMAGE, B_IMAGE, THETA_IMAGE and KRON_RADIUS are optional.
using PositionColumns = std::map<std::string, std::vector<double>>;

/// Measures light at positions in an image and returns the catalogue. `sky` must contain background, whole, mesh and
/// levels, and the image minus the mesh.
std::unique_ptr<Catalogue> light_at(const PositionColumns& columns, MeasuredOnHost&& sky,
                                    const Configuration& configuration, const Cpu& where);

/// The configuration that light_at() uses.
Config config_of_light(const PositionColumns& columns, const Configuration& configuration);

/// Throws Error{config} for settings that separate stages do not support.
void check_stage_config(const Config& config);

/// Throws Error{config} if the configuration asks for deblending or cleaning, but neither was done to the labels
/// (`divided` is false). Does nothing if there are no sources.
void check_divided(std::int64_t sources, bool divided, const Config& config);

template <class Held>
std::pair<std::int64_t, std::int64_t> shape_of(const Held& held) {
  return {held.runs->shape.height, held.runs->shape.width};
}

/// The threshold as a pixel value; empty if the pixels were not detected by threshold().
template <class Where>
std::optional<double> level_of(const HeldForeground<Where>& found) {
  return found.levels ? std::optional(found.levels->detection) : std::nullopt;
}

/// Adds the stages for arrays on a GPU. Defined only if this build has CUDA.
void bind_stage_devices(nanobind::module_& module);

void bind_stage_images(nanobind::module_& module);
void bind_stage_sources(nanobind::module_& module);

}  // namespace srcextract::python
