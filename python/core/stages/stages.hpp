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

/// Location of a result; keeps the resources there alive.
template <class Where>
struct Place;

template <>
struct Place<Cpu> {
  Cpu where;
};

/// An image for the stages.
template <class Where>
struct HeldImage {
  HeldImage(Place<Where> in, Shape shape) : place(std::move(in)), pixels(shape, place.where) {}

  Place<Where> place;
  Pixels<Where> pixels;
};

/// The sky of an image.
template <class Where>
struct HeldSky {
  Place<Where> place;
  Shape shape;
  SkyMesh<Where> mesh = {};             ///< if the sky is a mesh
  Value<Background, Where> whole = {};  ///< of the image
  Value<Background, Where> above = {};  ///< of the image minus the sky
  Background facts = {};                ///< `whole`, on the host
};

/// Detected pixels.
template <class Where>
struct HeldForeground {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  std::optional<Runs<Where>> seeds = {};
  std::optional<Levels> levels = {};  ///< empty if detected elsewhere
};

/// The source of every detected pixel.
template <class Where>
struct HeldLabels {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  Components<Where> components;
  std::int64_t kept = 0, found = 0;            ///< numbers of components, on the host
  std::optional<Levels> levels = {};           ///< empty if detected elsewhere
  std::vector<std::int32_t> numbers = {};      ///< numbers of the sources, if not 1, 2, 3 ...
  Buffer<Parentage, Where> parentage = {};     ///< if deblended or cleaned
  std::optional<Cleaned<Where>> cleaned = {};  ///< result of CLEAN; its `components` and `parentage` are moved to the
                                               ///< members above
};

void bind_stages(nanobind::module_& module);

}  // namespace srcextract::python
