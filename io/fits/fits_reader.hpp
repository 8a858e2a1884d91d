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

/// What the header of an HDU says of it.
struct Hdu {
  int index = 0;  ///< from 0
  HduKind kind = HduKind::other;
  std::string name;                           ///< EXTNAME
  std::optional<std::int64_t> version = {};   ///< EXTVER
  std::shared_ptr<const Header> header = {};  ///< with its cards, as they were when they were read
  std::string_view cards;                     ///< of the header, up to and with END
  int bitpix = 0;                             ///< of the image, whether compressed or not
  std::vector<std::int64_t> axes;             ///< of the image, whether compressed or not
  std::int64_t begin = 0;                     ///< where the header begins in the file
  std::int64_t data_begin = 0;                ///< where the data unit begins in the file
  std::int64_t data_bytes = 0;                ///< its length without padding
};

/// True if the HDU is an image, compressed or not, that has pixels.
bool has_pixels(const Hdu& hdu);

/// "HDU 2 'SCI'", and "HDU 2 'SCI' of image.fits", for messages.
std::string label(const Hdu& hdu);
std::string describe(const Hdu& hdu, const std::string& path);

/// The header of a primary HDU without data, as it precedes an extension.
std::string empty_primary_header();

/// Goes through the HDUs of a file, which must outlive this. Every header is read once, into memory.
class FitsReader {
 public:
  explicit FitsReader(const InputFile& file);

  /// Moves to the next HDU, at first to the primary one, and says what it is; nothing at the end of the file. Throws
  /// Error{input} if its header is not a valid one.
  std::optional<Hdu> next();

  const std::string& path() const { return file_.path(); }

  /// The current HDU, also one whose header is not valid, for messages.
  const std::string& where() const { return where_; }

 private:
  const InputFile& file_;
  int index_ = -1;               ///< of the current HDU
  std::string where_;            ///< the current HDU, for messages
  std::int64_t next_begin_ = 0;  ///< where the next HDU begins, if there is one
};

}  // namespace srcextract
