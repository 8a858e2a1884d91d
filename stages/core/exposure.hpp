#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "stages/core/pixel_map.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract {

/// A reference frame, which is subtracted from another frame (the new frame) to find changes.
struct ReferenceFrame {
  /// input images of the frame, all of one shape; several planes are combined to one image
  std::vector<PixelSource> planes;
  /// position of each pixel of the new frame in this frame; null: both frames have the same pixel grid
  std::shared_ptr<const PixelMap> map;
  std::optional<PixelSource> weights = std::nullopt;  ///< image with the noise of each pixel, in the shape of `planes`
  std::optional<PixelSource> mask = std::nullopt;     ///< image that marks masked pixels, in the shape of `planes`
};

/// The input of one extraction.
struct Exposure {
  std::vector<PixelSource> planes;  ///< input images, all of one shape; several planes are combined to one image
  /// frame to subtract, so that sources are changes; null: nothing is subtracted
  std::shared_ptr<const ReferenceFrame> reference;
  std::optional<PixelSource> weights = std::nullopt;  ///< image with the noise of each pixel, in the shape of `planes`
  std::optional<PixelSource> mask = std::nullopt;     ///< image that marks masked pixels, in the shape of `planes`
  /// image of the sky level, in the shape of `planes`, if the user gives one
  std::optional<PixelSource> level = std::nullopt;

  Exposure(std::vector<PixelSource> of_frame = {}, std::shared_ptr<const ReferenceFrame> subtracted = nullptr)
      : planes(std::move(of_frame)), reference(std::move(subtracted)) {}
  Exposure(const PixelSource& plane) : planes{plane} {}

  const Shape& shape() const { return planes.front().shape; }
};

}  // namespace srcextract
