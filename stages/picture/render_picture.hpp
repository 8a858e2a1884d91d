#pragma once

#include <utility>

#include "stages/picture/picture.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

/// The body of render_picture() for host and GPU. fetch_image(image) must return the drawn image on the host.
template <class Where, class FetchImage>
Picture render_picture_with(const Image<float, Where>& image, const QuicklookConfig& config, const Where& where,
                            const FetchImage& fetch_image) {
  Picture picture;
  picture.factor = shrink_factor(image.shape, config.size);
  Image<float, Where> shrunk;
  if (picture.factor > 1) shrunk = shrink(image, picture.factor, where);
  const Image<float, Where>& drawn = picture.factor > 1 ? shrunk : image;

  picture.range = display_range(drawn, config, where);
  Buffer<std::uint32_t, Where> counts;
  if (config.stretch == Stretch::equalize) counts = count_bins(drawn, picture.range, config.bins, where);
  const Buffer<std::uint8_t, Where> table = grey_table(config.stretch, config.bins, counts, where);
  picture.grey = fetch_image(draw_grey(drawn, picture.range, table, where));
  return picture;
}

}  // namespace srcextract
