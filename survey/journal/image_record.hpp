#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace srcextract {

/// The kind of a failure that the next start tries again, unasked: the file could not be read at that moment.
inline constexpr const char* transient_kind = "transient";

/// What became of one image of a survey: a line of its journal.
struct ImageRecord {
  // What it was made from.
  std::string name;           ///< ImageFile::name
  std::optional<int> hdu;     ///< which of the file's images, where several are extracted
  int images = 1;             ///< of the file that are extracted
  std::string path;           ///< where it was read; absolute
  std::int64_t bytes = 0;     ///< size of the file
  std::int64_t modified = 0;  ///< its time, nanoseconds since 1970
  std::string config;         ///< ImageConfig::hash
  std::string program;        ///< version of srcextract

  // What it gave.
  bool done = false;
  std::uint32_t datasum = 0;  ///< checksum of the pixels, FitsImage::datasum
  std::int64_t width = 0, height = 0;
  std::int64_t sources = 0;
  double background = 0, sigma = 0;                           ///< after the clip
  std::vector<std::pair<std::string, std::int64_t>> outputs;  ///< path below the output directory, bytes

  std::optional<std::uint32_t> catalog_crc32;  ///< of the FITS catalogue; older journals do not say

  // Or why it gave nothing.
  std::string kind;    ///< kind_name() of an Error; or crash, timeout: of its process; or transient_kind
  std::string reason;  ///< the message; journals keep what shortened() leaves of it

  bool operator==(const ImageRecord&) const = default;
};

/// "night1/a.fits", or "night1/a.fits[2]" for HDU 2 of a file of which several are extracted.
std::string image_label(const ImageRecord& record);

/// Of a reason, which may list all that a damaged file holds, people and the merged catalogue's column REASON need no
/// more bytes than these.
inline constexpr std::size_t most_reason_bytes = 2000;

/// The reason; of one that is longer the beginning, and "...". Text that is UTF-8 is cut between two characters.
std::string shortened(std::string reason);

/// One line of JSON, without the end of the line. Text that is UTF-8 stands as it is; of any other, every byte beyond
/// ASCII is written as a NUL (which no name has) and two hexadecimal digits: "caf\u0000e9.fits".
std::string format_record(const ImageRecord& record);

/// Reads it back, to the same bytes of text and the same bits of numbers, but for a reason that is shortened; none if
/// it is none.
std::optional<ImageRecord> parse_record(std::string_view line);

}  // namespace srcextract
