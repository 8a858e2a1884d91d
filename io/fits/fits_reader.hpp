#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/fits/hdu_structure.hpp"

namespace srcextract {

/// An HDU (header and data unit of a FITS file), as its header describes it.
struct Hdu {
  int index = 0;  ///< index in the file, from 0
  HduKind kind = HduKind::other;
  std::string name;                           ///< EXTNAME
  std::optional<std::int64_t> version = {};   ///< EXTVER
  std::shared_ptr<const Header> header = {};  ///< parsed header, which owns the text of its cards
  std::string_view cards;                     ///< text of the cards up to and including END
  int bitpix = 0;                             ///< BITPIX, or ZBITPIX of a compressed image; 0 for a table
  std::vector<std::int64_t> axes;             ///< NAXISn, or ZNAXISn of a compressed image; empty for a table
  std::int64_t begin = 0;                     ///< offset of the header in the (inflated) file, in bytes
  std::int64_t data_begin = 0;                ///< offset of the data unit in the (inflated) file, in bytes
  std::int64_t data_bytes = 0;                ///< length of the data unit in bytes, without padding
};

/// Returns true if the HDU is an image, compressed or not, that has at least one axis and no axis of length 0.
bool has_pixels(const Hdu& hdu);

/// Return the name of an HDU in messages: "HDU 2 'SCI'" and "HDU 2 'SCI' of image.fits".
std::string label(const Hdu& hdu);
std::string describe(const Hdu& hdu, const std::string& path);

/// Returns a primary header without data, to be followed by an extension.
std::string empty_primary_header();

/// Reads the headers of a file in order, one per HDU, each once and into memory. The file must outlive the reader. The
/// constructor throws Error{input} if the file is not FITS.
class FitsReader {
 public:
  explicit FitsReader(const InputFile& file);

  /// Moves to the next HDU and returns it; the first call returns the primary HDU. Returns nothing at the end of the
  /// file, or if the bytes after the last HDU do not begin as an HDU. Throws Error{input} if the header is invalid.
  std::optional<Hdu> next();

  const std::string& path() const { return file_.path(); }

  /// Name of the current HDU for messages, also available after next() threw.
  const std::string& where() const { return where_; }

 private:
  const InputFile& file_;
  int index_ = -1;               ///< index of the current HDU, from 0
  std::string where_;            ///< name of the current HDU for messages
  std::int64_t next_begin_ = 0;  ///< offset in bytes at which the next HDU would begin
};

}  // namespace srcextract
