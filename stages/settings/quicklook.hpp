#pragma once

#include <cstdint>

namespace srcextract {

enum class Stretch { linear, sqrt, log, asinh, equalize };
enum class Limits { zscale, minmax, values };
enum class Overlay { none, ellipses, pixels };

/// The picture that output.quicklook writes.
struct QuicklookConfig {
  Stretch stretch = Stretch::asinh;
  Limits limits = Limits::zscale;
  double low = 0;   ///< pixel value that is drawn black, with Limits::values
  double high = 0;  ///< pixel value that is drawn white, with Limits::values
  std::int64_t bins = 4096;
  Overlay overlay = Overlay::ellipses;
  std::int64_t size = 1024;  ///< maximum number of pixels of the picture's longer side; larger images are scaled down

  bool operator==(const QuicklookConfig&) const = default;
};

}  // namespace srcextract
