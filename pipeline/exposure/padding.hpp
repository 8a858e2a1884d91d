#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "pipeline/exposure/padding_look.hpp"
#include "pipeline/exposure/padding_regions.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/runs.hpp"
#include "stages/settings/input.hpp"

namespace srcextract {

/// Pixels of a plane that have no data but hold a number in place of NaN.
struct Padding {
  std::vector<Run> runs;             ///< in raster order; empty if `everywhere` is set
  std::optional<float> everywhere;   ///< every pixel of this value is padding
  std::vector<PaddingValue> values;  ///< the value with the most pixels is the first
  std::optional<CommonValue> left;   ///< a value inside that may be padding and is not masked
  /// The least value, if many pixels have it and it is data: of few photons, or of a sky without noise.
  std::optional<float> of_data;
  std::int64_t pixels() const;
};

/// Which padding is looked for.
struct PaddingSearch {
  std::string wanted = "auto";  ///< InputConfig::padding
  /// Blocks of exact zeros inside count too, as an interferometer's map has them where it has no data.
  bool zeros_inside = false;
  double saturation = 0;  ///< level of saturation; 0: not known
};

/// Finds the padding of a plane of an image (PaddingRegions). First looks at the ends of 32 rows; reads the whole plane
/// only if padding shows there, or if the search asks for a value or for zeros inside. Throws the errors of reading.
Padding find_padding(const FitsImage& image, std::int64_t plane, const PaddingSearch& search);

/// The plane with its padding masked. Without padding, `plane` itself. Integers become float32, as ingest() makes them.
PixelSource without_padding(const PixelSource& plane, std::shared_ptr<const Padding> padding);

/// The plane that without_padding() masked to make this one; `plane` itself if it did not.
const PixelSource& stored_plane(const PixelSource& plane);

/// A plane of an image with its padding masked.
PixelSource plane_without_padding(const FitsImage& image, std::int64_t plane, const PaddingSearch& search);

/// For example "1234 pixels of 0 and 56 of -999".
std::string describe_padding(const std::vector<PaddingValue>& values);

}  // namespace srcextract
