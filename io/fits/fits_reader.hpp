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

/// An HDU, as its header describes it.
struct Hdu {
  int index = 0;  ///< index from 0
  HduKind kind = HduKind::other;
  std::string name;                           ///< EXTNAME
  std::optional<std::int64_t> version = {};   ///< EXTVER
  std::shared_ptr<const Header> header = {};  ///< header, which owns its cards
  std::string_view cards;                     ///< cards up to and including END
  int bitpix = 0;                             ///< the image's, whether compressed or not
  std::vector<std::int64_t> axes;             ///< the image's, whether compressed or not
  std::int64_t begin = 0;                     ///< where the header begins in the file
  std::int64_t data_begin = 0;                ///< where the data unit begins in the file
  std::int64_t data_bytes = 0;                ///< length of the data unit, without padding
};

/// True if the HDU is an image with pixels, compressed or not.
bool has_pixels(const Hdu& hdu);

/// "HDU 2 'SCI'", and "HDU 2 'SCI' of image.fits", for messages.
std::string label(const Hdu& hdu);
std::string describe(const Hdu& hdu, const std::string& path);

/// The primary header without data that precedes an extension.
std::string empty_primary_header();

/// Walks through the HDUs of a file, which must outlive the reader. Each header is read once, into memory. The
/// constructor throws Error{input} if the file is not FITS.
class FitsReader {
 public:
  explicit FitsReader(const InputFile& file);

  /// Moves to the next HDU and returns it, starting with the primary; nothing at the end of the file. Throws
  /// Error{input} if the header is invalid.
  std::optional<Hdu> next();

  const std::string& path() const { return file_.path(); }

  /// The current HDU for messages, even if its header is invalid.
  const std::string& where() const { return where_; }

 private:
  const InputFile& file_;
  int index_ = -1;               ///< index of the current HDU
  std::string where_;            ///< the current HDU, for messages
  std::int64_t next_begin_ = 0;  ///< where the next HDU begins, if there is one
};

}  // namespace srcextract
