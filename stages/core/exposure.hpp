#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stages/core/pixel_map.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A frame that is to be subtracted from another frame, the new one.
struct ReferenceFrame {
  std::vector<PixelSource> planes;      ///< planes of one shape; several planes are combined
  std::shared_ptr<const PixelMap> map;  ///< positions of the new frame's pixels in this frame; null: the same pixels
  std::optional<PixelSource> weights = std::nullopt;  ///< of the same shape as `planes`: the noise of each pixel
  std::optional<PixelSource> mask = std::nullopt;     ///< of the same shape as `planes`: which pixels are masked
};

/// The input of one extraction.
struct Exposure {
  std::vector<PixelSource> planes;                    ///< planes of one shape; several planes are combined
  std::shared_ptr<const ReferenceFrame> reference;    ///< frame to subtract, so that sources are changes; null: none
  std::optional<PixelSource> weights = std::nullopt;  ///< of the same shape as `planes`: the noise of each pixel
  std::optional<PixelSource> mask = std::nullopt;     ///< of the same shape as `planes`: which pixels are masked
  std::optional<PixelSource> level = std::nullopt;    ///< of the same shape as `planes`: the sky level, if known

  Exposure(std::vector<PixelSource> of_frame = {}, std::shared_ptr<const ReferenceFrame> subtracted = nullptr)
      : planes(std::move(of_frame)), reference(std::move(subtracted)) {}
  Exposure(const PixelSource& plane) : planes{plane} {}

  const Shape& shape() const { return planes.front().shape; }
};

}  // namespace srcextract
