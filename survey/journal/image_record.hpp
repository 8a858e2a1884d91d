#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace srcextract {

/// Kind of a failure that the next start retries without --retry-failed: the file was temporarily unreadable.
inline constexpr const char* transient_kind = "transient";

/// The result for one image of a survey, stored as a line of the journal.
struct ImageRecord {
  // The extracted image.
  std::string name;           ///< the file's name in the survey (ImageFile::name)
  std::optional<int> hdu;     ///< number of the HDU if several HDUs of the file are extracted; else unset
  int images = 1;             ///< number of the file's images (HDUs) that are extracted; 0 if the file was left out
  std::string path;           ///< absolute path of the file
  std::int64_t bytes = 0;     ///< size of the file
  std::int64_t modified = 0;  ///< modification time of the file, in nanoseconds since 1970
  std::string config;
  std::string program;  ///< version of srcextract

  // Results; set if the image is done.
  bool done = false;
  std::uint32_t datasum = 0;  ///< checksum of the stored pixels (FitsImage::datasum)
  std::int64_t width = 0, height = 0;
  std::int64_t sources = 0;
  double background = 0, sigma = 0;                           ///< sky level and noise of the image
  std::vector<std::pair<std::string, std::int64_t>> outputs;  ///< path relative to the output directory, and size in
                                                              ///< bytes, of each output

  std::optional<std::uint32_t> catalog_crc32;  ///< CRC-32 of the FITS catalogue; unset without it, or in old journals

  // Reason of the failure; set if the image failed.
  std::string kind;    ///< kind_name() of an Error, or crash or timeout of the image's process, or transient_kind
  std::string reason;  ///< the error message; shortened() in journals

  bool operator==(const ImageRecord&) const = default;
};

/// Name of an image in messages: "night1/a.fits", or "night1/a.fits[2]" for HDU 2 of a file with several extracted
/// HDUs.
std::string image_label(const ImageRecord& record);

/// Maximum length of a stored reason. A message may contain all of a damaged file, which neither users nor the column
/// REASON need.
inline constexpr std::size_t most_reason_bytes = 2000;

/// Returns the text if it has at most `most` bytes; else its beginning with "..." at the end, `most` bytes in all.
/// UTF-8 text is cut between two characters, which may leave up to three bytes less.
std::string shortened(std::string reason, std::size_t most = most_reason_bytes);

/// Formats a record as one line of JSON, without the newline. UTF-8 text is unchanged. In any other text each byte
/// beyond ASCII becomes a NUL (which no file name contains) and two hexadecimal digits: "caf\u0000e9.fits".
std::string format_record(const ImageRecord& record);

/// Reads a line that format_record() wrote. Texts and numbers have the same bits as before; only a long reason is
/// shortened. Unset if the line is no record.
std::optional<ImageRecord> parse_record(std::string_view line);

}  // namespace srcextract
