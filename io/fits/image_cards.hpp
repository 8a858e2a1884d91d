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

/// Where the noise of sums of N pixels was measured: it is NOISALPH N^NOISBETA times that of a pixel.
inline constexpr const char *noise_alpha_keyword = "NOISALPH", *noise_beta_keyword = "NOISBETA";

/// What a catalogue says of its image besides the rows.
struct ImageFacts {
  std::optional<SkyFacts> sky;
  std::vector<HeaderValue> header;  ///< of the image, and those of the noise of sums

  bool operator==(const ImageFacts&) const = default;
};

// In a FITS catalogue these are the last cards of the header, SKYLEVEL the first of them: what comes before is the same
// from image to image, which makes headers quick to write and to read. EXTNAME of the image is IMGEXT there, for the
// table has an EXTNAME of its own.

/// Adds them to the header of a table, of whole records.
std::string with_image_cards(std::string header, const ImageFacts& facts);

/// Where they begin in the cards of a header, or where END does if there are none.
std::size_t image_cards_begin(std::string_view cards);

/// Reads them back from where they begin; nothing if no END card follows.
struct ImageCards {
  ImageFacts facts;
  std::size_t bytes = 0;  ///< END included
};
std::optional<ImageCards> read_image_cards(std::string_view cards);

}  // namespace srcextract
