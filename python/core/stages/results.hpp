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

/// The host, with so many threads; 0: as many as there are.
Place<Cpu> host_place(int threads);

/// What work() returns, done without the GIL; of an image of more than a few pixels so that Ctrl-C ends it.
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

/// What was measured of the sources of an image, and what the catalogue says of the image beside.
struct MeasuredOnHost {
  Detection<Cpu> found;  ///< with background, whole, mesh, levels, sums, runs and labels
  Shape shape;
  MaskCounts masked;
  std::vector<std::int32_t> numbers;  ///< of the sources, where they are not 1, 2, 3 ...
};

/// Its catalogue. `image`, with which the noise of apertures is measured, is empty where that is not asked for.
std::unique_ptr<Catalogue> catalogue_of(MeasuredOnHost&& measured, const Image<float, Cpu>& image, const Config& config,
                                        const std::string& yaml, const Cpu& where);

/// Columns of a table of positions, by their names: X_IMAGE and Y_IMAGE, the centre of the first pixel being 1; NUMBER,
/// A_IMAGE, B_IMAGE, THETA_IMAGE and KRON_RADIUS where they are there.
using PositionColumns = std::map<std::string, std::vector<double>>;

/// The light at positions of an image of which `sky` has background, whole, mesh and levels: `image` is what the stages
/// work on.
std::unique_ptr<Catalogue> light_at(const PositionColumns& columns, MeasuredOnHost&& sky,
                                    const Image<float, Cpu>& image, const Configuration& configuration,
                                    const Cpu& where);

/// The configuration with which that is measured.
Config config_of_light(const PositionColumns& columns, const Configuration& configuration);

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
