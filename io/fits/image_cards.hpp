#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// The sky background of an image: median and standard deviation of the pixels that remain after sigma clipping. With
/// an estimate in meshes, the median of the mesh levels and the typical RMS of the meshes. A sky level or noise that
/// the user gave replaces these values.
struct SkyFacts {
  double level = 0, sigma = 0;

  bool operator==(const SkyFacts&) const = default;
};

/// Keywords of the coefficients in the noise model NOISALPH * N^NOISBETA: the noise of the sum of N pixels, in units of
/// the noise of one pixel.
inline constexpr const char *noise_alpha_keyword = "NOISALPH", *noise_beta_keyword = "NOISBETA";

/// Facts about the image, which a catalogue states in its header.
struct ImageFacts {
  std::optional<SkyFacts> sky;
  std::vector<HeaderValue> header;  ///< header values of the image, and coefficients of the noise model

  bool operator==(const ImageFacts&) const = default;
};

// The image cards state the facts about the image in the header of a FITS catalogue. The image cards are the last of
// the header and start with SKYLEVEL. The cards before them are equal for most images, and can be reused when many
// headers are written or read. The image's EXTNAME has the keyword IMGEXT there, since the table has an EXTNAME too.

/// Returns the header with the image cards added before END, padded to whole records. Returns the header unchanged if
/// there are no facts.
std::string with_image_cards(std::string header, const ImageFacts& facts);

/// Returns the offset in bytes of the image cards, or of END if there are no image cards.
std::size_t image_cards_begin(std::string_view cards);

/// The facts about the image, read back from a catalogue header.
struct ImageCards {
  ImageFacts facts;
  std::size_t bytes = 0;  ///< length of the text that was read, END card included
};
/// Reads image cards up to END. The text must begin with the first image card, or with END if there are no image cards.
/// Returns nothing if there is no END card.
std::optional<ImageCards> read_image_cards(std::string_view cards);

}  // namespace srcextract
