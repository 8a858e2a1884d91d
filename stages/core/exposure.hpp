#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stages/core/pixel_map.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A frame that is subtracted from another frame.
struct ReferenceFrame {
  std::vector<PixelSource> planes;      ///< all of one shape; several planes are combined
  std::shared_ptr<const PixelMap> map;  ///< where the other frame's pixels lie in this one; null: no shift
  std::optional<PixelSource> weights = std::nullopt;  ///< of the shape of its planes: the noise of each pixel
  std::optional<PixelSource> mask = std::nullopt;     ///< of the same shape: masks pixels of the planes
};

/// The input of one extraction.
struct Exposure {
  std::vector<PixelSource> planes;                    ///< all of one shape; several planes are combined
  std::shared_ptr<const ReferenceFrame> reference;    ///< subtracted, so that sources are changes; or null
  std::optional<PixelSource> weights = std::nullopt;  ///< of the same shape: the noise of each pixel
  std::optional<PixelSource> mask = std::nullopt;     ///< of the same shape: masks pixels of the planes
  std::optional<PixelSource> level = std::nullopt;    ///< of the same shape: the sky level, if it is known

  Exposure(std::vector<PixelSource> of_frame = {}, std::shared_ptr<const ReferenceFrame> subtracted = nullptr)
      : planes(std::move(of_frame)), reference(std::move(subtracted)) {}
  Exposure(const PixelSource& plane) : planes{plane} {}

  const Shape& shape() const { return planes.front().shape; }
};

}  // namespace srcextract
