#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace srcextract {

/// Kind of a failure that the next start retries without being asked: the file was temporarily unreadable.
inline constexpr const char* transient_kind = "transient";

/// The result for one image of a survey: a line of its journal.
struct ImageRecord {
  // Inputs.
  std::string name;           ///< ImageFile::name
  std::optional<int> hdu;     ///< number of the HDU, if several of the file are extracted
  int images = 1;             ///< number of the file's images that are extracted
  std::string path;           ///< absolute path of the file
  std::int64_t bytes = 0;     ///< size of the file
  std::int64_t modified = 0;  ///< modification time, nanoseconds since 1970
  std::string config;         ///< hash_of_config() of the image file
  std::string program;        ///< version of srcextract

  // Results.
  bool done = false;
  std::uint32_t datasum = 0;  ///< checksum of the pixels, FitsImage::datasum
  std::int64_t width = 0, height = 0;
  std::int64_t sources = 0;
  double background = 0, sigma = 0;                           ///< after clipping
  std::vector<std::pair<std::string, std::int64_t>> outputs;  ///< path below the output directory, bytes

  std::optional<std::uint32_t> catalog_crc32;  ///< CRC-32 of the FITS catalogue; absent in older journals

  // Reason of a failure.
  std::string kind;    ///< why the image failed: kind_name() of an Error, crash or timeout of its process, or
                       ///< transient_kind
  std::string reason;  ///< the message; shortened() in journals

  bool operator==(const ImageRecord&) const = default;
};

/// "night1/a.fits", or "night1/a.fits[2]" for HDU 2 of a file with several extracted HDUs.
std::string image_label(const ImageRecord& record);

/// Limit of a stored reason. The message may list the whole contents of a damaged file, but people and the column
/// REASON need no more.
inline constexpr std::size_t most_reason_bytes = 2000;

/// Returns the text, cut to `most` bytes with "..." at its end if it is longer. UTF-8 text is cut between two
/// characters.
std::string shortened(std::string reason, std::size_t most = most_reason_bytes);

/// One line of JSON, without the newline. UTF-8 text is unchanged. In other text every byte beyond ASCII is written as
/// a NUL (which no name has) and two hexadecimal digits: "caf\u0000e9.fits".
std::string format_record(const ImageRecord& record);

/// Reads a line that format_record() wrote: the same bytes of text and bits of numbers, except for a shortened reason.
/// Empty if the line is no record.
std::optional<ImageRecord> parse_record(std::string_view line);

}  // namespace srcextract
