#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stages/core/pixel_map.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A frame that is subtracted from another.
struct ReferenceFrame {
  std::vector<PixelSource> planes;      ///< of one shape; combined if there are several
  std::shared_ptr<const PixelMap> map;  ///< where the pixels of the other frame lie in it; null: where they lie there
};

/// What one extraction starts from.
struct Exposure {
  std::vector<PixelSource> planes;                    ///< of one shape; combined if there are several
  std::shared_ptr<const ReferenceFrame> reference;    ///< subtracted, so that sources are what has changed; or null
  std::optional<PixelSource> weights = std::nullopt;  ///< of the same shape: how noisy each pixel is
  std::optional<PixelSource> mask = std::nullopt;     ///< of the same shape, masked where pixels are to be
  std::optional<PixelSource> level = std::nullopt;    ///< of the same shape: that of the sky, if it is known

  Exposure(std::vector<PixelSource> of_frame = {}, std::shared_ptr<const ReferenceFrame> subtracted = nullptr)
      : planes(std::move(of_frame)), reference(std::move(subtracted)) {}
  Exposure(const PixelSource& plane) : planes{plane} {}

  const Shape& shape() const { return planes.front().shape; }
};

}  // namespace srcextract
