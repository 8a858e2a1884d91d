#pragma once

#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/hdu_names.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Returns true if `text` is the HDU's index (from 0). If `text` is no number, returns true if it is the HDU's EXTNAME,
/// without regard to case.
bool is_called(const Hdu& hdu, const std::string& text);

/// Returns true if the HDU is an integer image whose EXTNAME says that the pixels are flags rather than brightness:
/// - DQ (HST, JWST, Gemini, MUSE), MASK (LSST, Pan-STARRS), FLAGS, QUALITY, BPM and similar names;
/// - CTX or CON (which exposures contribute to a mosaic).
///
/// The word may be the end of the name, or stand before a number at the end ("SCI_MASK", "DQ2"). Images of errors,
/// variances or weights yield false.
bool is_mask_plane(const Hdu& hdu);

/// Returns the kind of an HDU for messages, as in "binary table" or "image without pixels".
std::string kind_of(const Hdu& hdu);

/// Return a list of HDUs for messages: their kinds, as in "1 image without pixels, 2 binary tables", and their names,
/// as in "0, 1 'SCI', 2 'ERR'".
std::string list_kinds(const std::vector<Hdu>& hdus);
std::string list_names(const std::vector<Hdu>& hdus);

/// What `auto`, `all` and patterns require of an image.
struct ImageNeeds {
  /// Least sides in pixels; an image with one axis has a height of 1. Without other needs, an image has two dimensions.
  Shape least = {2, 2};
  bool constants =
      false;  ///< whether arrays of one value without pixels count, which can be maps (is_constant_array())
};

/// Returns why the HDU is no image that `auto`, `all` and patterns select, for messages: "one axis", "3 x 3 pixels" or
/// "one value for all pixels". Returns an empty text for an image that they select, and for other kinds of HDUs.
std::string why_passed_over(const Hdu& hdu, const ImageNeeds& needs);

/// Selects HDUs of one file by name while the file is read in order. A name is one of:
/// - `auto`: selects the first image that is as large as needed.
/// - `all` or a pattern (with * or ?): selects every match that is as large as needed.
/// - a number, an EXTNAME (without regard to case) or an `EXTNAME,EXTVER`: selects the first match. An HDU without
/// EXTVER has version 1.
///
/// Messages name `key`, the configuration key that the user sets the names with.
class HduSelection {
 public:
  HduSelection(HduNames names, std::string key, ImageNeeds needs = {});

  enum class Choice { none, by_pattern, by_name };

  /// Takes the next HDU of the file and returns whether a name or a pattern selects it. `auto`, `all` and patterns
  /// select only images that meet the needs.
  Choice take(const Hdu& hdu);

  /// The HDUs that `auto`, `all` or a pattern passed over since they do not meet the needs, each with the reason in
  /// brackets: "HDU 1 (one axis)".
  const std::vector<std::string>& passed_over() const { return passed_over_; }

  /// Returns true if a name has selected nothing but has passed over an image with pixels.
  bool lacks_only_size() const;

  /// Returns true if no later HDU of the file can be selected.
  bool complete() const { return !names_.open() && fulfilled(); }

  /// Returns true if every name other than `all` and patterns has selected an HDU.
  bool fulfilled() const;

  /// Throws Error{input} that says why the selected HDU is not an image.
  [[noreturn]] void fail_on_kind(const Hdu& hdu, const InputFile& file) const;

  /// Throws Error{input} if a name or pattern selected no HDU. Must be called after the last HDU was taken.
  void require_all(const std::vector<Hdu>& hdus, const InputFile& file) const;

 private:
  [[noreturn]] void fail_on_none(const std::string& name, const std::vector<Hdu>& hdus, const InputFile& file) const;

  HduNames names_;
  std::string key_;
  ImageNeeds needs_;
  std::vector<bool> found_;      ///< for each name: true if it has selected an HDU
  std::vector<bool> too_small_;  ///< for each name: true if it has passed over an image with pixels
  std::vector<std::string> passed_over_;
};

}  // namespace srcextract
