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

/// Where a result lies. What it needs there lives as long as it does.
template <class Where>
struct Place;

template <>
struct Place<Cpu> {
  Cpu where;
};

/// An image as the stages take it.
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
  SkyMesh<Where> mesh = {};             ///< if it is one
  Value<Background, Where> whole = {};  ///< of the image
  Value<Background, Where> above = {};  ///< of the image once it is subtracted
  Background facts = {};                ///< `whole`, on the host
};

/// Pixels that may be of sources.
template <class Where>
struct HeldForeground {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  std::optional<Runs<Where>> seeds = {};
  std::optional<Levels> levels = {};  ///< none: somebody else has found them
};

/// Which pixels are whose.
template <class Where>
struct HeldLabels {
  Place<Where> place;
  std::shared_ptr<const Runs<Where>> runs;
  Components<Where> components;
  std::int64_t kept = 0, found = 0;            ///< of components, on the host
  std::optional<Levels> levels = {};           ///< none: somebody else has found them
  std::vector<std::int32_t> numbers = {};      ///< of the sources, where they are not 1, 2, 3 ...
  Buffer<Parentage, Where> parentage = {};     ///< if they were deblended or cleaned
  std::optional<Cleaned<Where>> cleaned = {};  ///< of which `components` and `parentage` are here
};

void bind_stages(nanobind::module_& module);

}  // namespace srcextract::python
