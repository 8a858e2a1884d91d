#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// True if `text` is the index of the HDU, from 0, or else its name, in any case.
bool is_called(const Hdu& hdu, const std::string& text);

/// Whether the HDU is an image of integers whose EXTNAME says that they are flags of pixels and no brightness: DQ (HST,
/// JWST, Gemini, MUSE), MASK (LSST, Pan-STARRS), FLAGS, QUALITY, BPM and the like, also as the last word of the name or
/// with a number after it ("SCI_MASK", "DQ2"), and CTX or CON (which exposures a mosaic is made of). Errors, variances
/// and weights are brightnesses as far as anyone can tell, and not meant.
bool is_mask_plane(const Hdu& hdu);

/// What an HDU is, for messages: "binary table", "image without pixels".
std::string kind_of(const Hdu& hdu);

/// What a file holds, for messages: "1 image without pixels, 2 binary tables"; "0, 1 'SCI', 2 'ERR'".
std::string list_kinds(const std::vector<Hdu>& hdus);
std::string list_names(const std::vector<Hdu>& hdus);

/// Which HDUs input.hdu means: `auto`, `all`, a number from 0, or a name.
class HduSelection {
 public:
  explicit HduSelection(std::string text) : text_(std::move(text)) {}

  bool all() const { return text_ == "all"; }
  bool selects(const Hdu& hdu) const;

  /// Throws the Error{input} that says why a selected HDU is not an image.
  [[noreturn]] void fail_on_kind(const Hdu& hdu, const InputFile& file) const;

  /// Throws the Error{input} that says why none of the HDUs of a file is selected.
  [[noreturn]] void fail_on_none(const std::vector<Hdu>& hdus, const InputFile& file) const;

 private:
  bool any() const { return all() || text_ == "auto"; }

  std::string text_;
};

}  // namespace srcextract
