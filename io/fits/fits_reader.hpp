#pragma once

#include <fitsio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

enum class HduKind { image, compressed_image, random_groups, ascii_table, binary_table, other };

/// What the header of an HDU says of it.
struct Hdu {
  int index = 0;  ///< from 0
  HduKind kind = HduKind::other;
  std::string name;                ///< EXTNAME
  std::string_view cards;          ///< as stored, up to and with END
  int bitpix = 0;                  ///< of the image, whether compressed or not
  std::vector<std::int64_t> axes;  ///< of the image, whether compressed or not
  std::int64_t begin = 0;          ///< where the header begins in the file
  std::int64_t data_begin = 0;     ///< where the data unit begins in the file
  std::int64_t data_bytes = 0;     ///< its length without padding
};

/// True if the HDU is an image, compressed or not, that has pixels.
bool has_pixels(const Hdu& hdu);

/// "HDU 2 'SCI'", and "HDU 2 'SCI' of image.fits", for messages.
std::string label(const Hdu& hdu);
std::string describe(const Hdu& hdu, const std::string& path);

/// The header of a primary HDU without data, as it precedes an extension.
std::string empty_primary_header();

/// The contents of a file, which must outlive it, opened by CFITSIO: in memory, so that CFITSIO is never given a file
/// name. Not for several threads at once.
class FitsReader {
 public:
  /// `records` are as InputFile::records() says; `path` is for messages; `first` is the index of the first HDU.
  FitsReader(std::span<const std::byte> records, std::string path, int first = 0);
  ~FitsReader();
  FitsReader(const FitsReader&) = delete;
  FitsReader& operator=(const FitsReader&) = delete;

  /// Moves to the next HDU, at first to the primary one, and says what it is; nothing at the end of the file. Throws
  /// Error{input} if its header is not a valid one.
  std::optional<Hdu> next();

  /// The value of a keyword of the current HDU as stored, if it has one. Throws Error{input} if it is no number.
  std::optional<std::int64_t> integer(const std::string& keyword);
  std::optional<double> real(const std::string& keyword);

  /// Throws Error{input}, with what CFITSIO says, if the status of a CFITSIO call is an error; Error{memory} if that
  /// is a lack of memory.
  void check(int status, const std::string& doing) const;

  fitsfile* get() { return fits_; }
  std::span<const std::byte> records() const { return records_; }
  const std::string& path() const { return path_; }

  /// The current HDU, also one whose header is not valid, for messages.
  const std::string& where() const { return where_; }

 private:
  Hdu read_structure(std::string_view cards, int type);
  std::int64_t data_bytes(bool random_groups);

  std::span<const std::byte> records_;
  std::string path_;
  void* memory_;        ///< CFITSIO keeps the addresses of these two
  std::size_t length_;  ///< of the memory
  fitsfile* fits_ = nullptr;
  int index_;                    ///< of the current HDU
  std::string where_;            ///< the current HDU, for messages
  std::int64_t next_begin_ = 0;  ///< where the next HDU begins, if there is one
};

}  // namespace srcextract
