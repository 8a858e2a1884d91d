#pragma once

#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/hdu_names.hpp"

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

/// The HDUs of one file that names select, as its HDUs go by: `auto` takes the first that holds an image, `all` and a
/// pattern every one, a number, an EXTNAME (in any case) and an `EXTNAME,EXTVER` the first that it fits. An EXTVER is 1
/// where the header has none. `key` of the configuration has the names, for messages.
class HduSelection {
 public:
  HduSelection(HduNames names, std::string key);

  enum class Choice { none, by_pattern, by_name };

  /// Whether the next HDU is selected. `all` and patterns select images alone.
  Choice take(const Hdu& hdu);

  /// Whether no HDU that comes can be selected any more.
  bool complete() const { return !names_.open() && fulfilled(); }

  /// Whether every name but patterns has its HDU.
  bool fulfilled() const;

  /// Throws the Error{input} that says why a selected HDU is not an image.
  [[noreturn]] void fail_on_kind(const Hdu& hdu, const InputFile& file) const;

  /// After all HDUs of the file: throws the Error{input} that says why a name selects none of them, if one does not.
  void require_all(const std::vector<Hdu>& hdus, const InputFile& file) const;

 private:
  [[noreturn]] void fail_on_none(const std::string& name, const std::vector<Hdu>& hdus, const InputFile& file) const;

  HduNames names_;
  std::string key_;
  std::vector<bool> found_;  ///< of each name, whether it has selected one
};

}  // namespace srcextract
