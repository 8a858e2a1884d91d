#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// The sky of an image: median and standard deviation of the pixels that survive the clip.
struct SkyFacts {
  double level = 0, sigma = 0;

  bool operator==(const SkyFacts&) const = default;
};

/// Keywords of the power law NOISALPH N^NOISBETA: the noise of a sum of N pixels, in units of one pixel's noise.
inline constexpr const char *noise_alpha_keyword = "NOISALPH", *noise_beta_keyword = "NOISBETA";

/// Facts about the image in a catalogue.
struct ImageFacts {
  std::optional<SkyFacts> sky;
  std::vector<HeaderValue> header;  ///< header values of the image, and the noise of sums

  bool operator==(const ImageFacts&) const = default;
};

// In a FITS catalogue the image cards are the last of the header, starting with SKYLEVEL. The cards before them are
// equal for most images, which makes headers fast to write and read. The image's EXTNAME is called IMGEXT, since the
// table has its own EXTNAME.

/// Adds the image cards to a table header, in whole records.
std::string with_image_cards(std::string header, const ImageFacts& facts);

/// Offset of the image cards in a header, or of END if there are none.
std::size_t image_cards_begin(std::string_view cards);

/// The image's facts, read back from a header.
struct ImageCards {
  ImageFacts facts;
  std::size_t bytes = 0;  ///< bytes read, END included
};
/// Reads cards that begin with the image cards, or with END if there are none. Returns nothing if there is no END.
std::optional<ImageCards> read_image_cards(std::string_view cards);

}  // namespace srcextract
