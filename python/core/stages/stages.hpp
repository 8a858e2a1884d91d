#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/chain/detection.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract::python {

/// The memory in which a result lies, host or device. Does not own the memory; on a device, OnDevice keeps the session
/// alive.
template <class Where>
struct Place;

template <>
struct Place<Cpu> {
  Cpu where;
};

/// An image that Python holds.
template <class Where>
struct HeldImage {
  HeldImage(Place<Where> in, Shape shape) : place(std::move(in)), pixels(shape, place.where) {}

  Place<Where> place;
  Pixels<Where> pixels;
};

/// The estimated sky of an image, as Python holds the sky.
template <class Where>
struct HeldSky {
  Place<Where> place;
  Shape shape;
  SkyMesh<Where> mesh = {};             ///< empty if the sky is constant
  Value<Background, Where> whole = {};  ///< statistics of the image
  Value<Background, Where> above = {};  ///< statistics of the image minus the sky
  Background facts = {};                ///< copy of `whole` in host memory
};

/// Detected pixels, as runs: sequences of pixels in one row. `seeds` are the runs above detection.seed.
template <class Where>
struct HeldForeground {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  std::optional<Runs<Where>> seeds = {};
  std::optional<Levels> levels = {};  ///< empty if the caller made the pixels without threshold()
};

/// The source of every detected pixel, as Python holds the labels.
template <class Where>
struct HeldLabels {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  Components<Where> components;
  std::int64_t kept = 0, found = 0;         ///< numbers of sources after and before selection by size, in host memory
  std::optional<Levels> levels = {};        ///< empty if the caller made the labels without threshold()
  std::vector<std::int32_t> numbers = {};   ///< NUMBER of each source; empty: 1, 2, 3 ...
  Buffer<Parentage, Where> parentage = {};  ///< empty if the labels were neither deblended nor cleaned
  /// Result of CLEAN, without `components` and `parentage`, which are members of this struct.
  std::optional<Cleaned<Where>> cleaned = {};
};

using HostImage = HeldImage<Cpu>;
using HostSky = HeldSky<Cpu>;
using HostForeground = HeldForeground<Cpu>;
using HostLabels = HeldLabels<Cpu>;

void bind_stages(nanobind::module_& module);

}  // namespace srcextract::python
