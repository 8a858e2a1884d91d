#pragma once

#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/hdu_names.hpp"

namespace srcextract {

/// True if `text` is the HDU's index (from 0), or else its name in any case.
bool is_called(const Hdu& hdu, const std::string& text);

/// Whether the HDU is an integer image whose EXTNAME marks pixel flags rather than brightness:
/// - DQ (HST, JWST, Gemini, MUSE), MASK (LSST, Pan-STARRS), FLAGS, QUALITY, BPM and similar names;
/// - CTX or CON (which exposures contribute to a mosaic).
///
/// The word may end the name or precede a number ("SCI_MASK", "DQ2"). Errors, variances and weights do not count.
bool is_mask_plane(const Hdu& hdu);

/// The kind of an HDU, for messages: "binary table", "image without pixels".
std::string kind_of(const Hdu& hdu);

/// The contents of a file, for messages: "1 image without pixels, 2 binary tables"; "0, 1 'SCI', 2 'ERR'".
std::string list_kinds(const std::vector<Hdu>& hdus);
std::string list_names(const std::vector<Hdu>& hdus);

/// Selects HDUs of one file by name while they are read in order:
/// - `auto`: the first with an image.
/// - `all`, a pattern: every match.
/// - A number, an EXTNAME (in any case) or an `EXTNAME,EXTVER`: the first match. A missing EXTVER counts as 1.
///
/// `key` is the configuration key of the names, for messages.
class HduSelection {
 public:
  HduSelection(HduNames names, std::string key);

  enum class Choice { none, by_pattern, by_name };

  /// Takes the next HDU of the file and returns whether a name or pattern selects it. `auto`, `all` and patterns select
  /// only images.
  Choice take(const Hdu& hdu);

  /// True if no later HDU can be selected.
  bool complete() const { return !names_.open() && fulfilled(); }

  /// True if every name has its HDU, patterns aside.
  bool fulfilled() const;

  /// Throws the Error{input} that says why a selected HDU is not an image.
  [[noreturn]] void fail_on_kind(const Hdu& hdu, const InputFile& file) const;

  /// Call it after the last HDU. Throws Error{input} if a name or pattern selected none.
  void require_all(const std::vector<Hdu>& hdus, const InputFile& file) const;

 private:
  [[noreturn]] void fail_on_none(const std::string& name, const std::vector<Hdu>& hdus, const InputFile& file) const;

  HduNames names_;
  std::string key_;
  std::vector<bool> found_;  ///< for each name, true if it selected an HDU
};

}  // namespace srcextract
