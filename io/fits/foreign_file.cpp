#include "io/fits/foreign_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "io/files/standard_input.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

using std::string_view_literals::operator""sv;

/// The path without the last extension of the file's name.
std::string without_extension(const std::string& path) {
  const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return dot == std::string::npos || dot <= name ? path : path.substr(0, dot);
}

/// Files that another program made from a file, which may be FITS.
struct Packed {
  std::string_view begin;
  const char* program;  ///< in messages
  const char* unpack;   ///< command before the name
  const char* pipe;     ///< command between pipes
};
constexpr std::array packed_kinds{Packed{"BZh"sv, "bzip2", "bzip2 -dk", "bzip2 -dc"},
                                  Packed{"\xfd"
                                         "7zXZ\0"sv,
                                         "xz", "xz -dk", "xz -dc"},
                                  Packed{"\x28\xb5\x2f\xfd"sv, "zstd", "zstd -d", "zstd -dc"},
                                  Packed{"\x1f\x9d"sv, "compress", "gzip -dk", "gzip -dc"},
                                  Packed{"PK\3\4"sv, "zip", "unzip", "funzip"}};

/// Pictures, which a line of Python makes FITS of: fits.writeto(output, `pixels`).
struct Picture {
  std::string_view begin;
  const char *kind, *import, *pixels;
};
constexpr const char* one_colour = "rawpy.imread(sys.argv[1]).raw_image_visible[::2, ::2]";
constexpr Picture raw_file{"", "a raw file of a camera", "rawpy", one_colour};
constexpr const char* by_pillow = "np.asarray(Image.open(sys.argv[1]).convert('F'))";
constexpr const char* pillow = "numpy as np; from PIL import Image";
constexpr Picture tiff_picture{"", "a TIFF picture", "numpy as np, tifffile",
                               "np.moveaxis(np.atleast_3d(tifffile.imread(sys.argv[1])), -1, 0).squeeze()"};
constexpr std::array picture_kinds{Picture{"XISF0100"sv, "an XISF image", "numpy as np; from xisf import XISF",
                                           "np.moveaxis(XISF(sys.argv[1]).read_image(0), -1, 0).squeeze()"},
                                   Picture{"\x89PNG"sv, "a PNG picture", pillow, by_pillow},
                                   Picture{"\xff\xd8\xff"sv, "a JPEG picture", pillow, by_pillow},
                                   Picture{"FUJIFILM"sv, raw_file.kind, raw_file.import, raw_file.pixels},
                                   Picture{"IIRO"sv, raw_file.kind, raw_file.import, raw_file.pixels},
                                   Picture{"IIRS"sv, raw_file.kind, raw_file.import, raw_file.pixels},
                                   Picture{"IIU\0"sv, raw_file.kind, raw_file.import, raw_file.pixels}};

/// The kind of a picture. Raw files of most cameras begin as TIFF, so the name decides between these.
const Picture* picture_of(std::string_view begin, const std::string& path) {
  constexpr std::array raw_extensions{"cr2", "cr3", "nef", "nrw", "arw", "dng", "pef", "orf", "rw2", "raf", "srw"};
  const std::string extension = path.substr(std::min(path.size(), without_extension(path).size() + 1));
  const bool is_tiff = begin.starts_with("II*\0"sv) || begin.starts_with("MM\0*"sv);
  const bool is_raw =
      std::ranges::any_of(raw_extensions, [&](const char* known) { return equal_in_any_case(extension, known); });
  const bool is_cr3 = begin.size() > 11 && begin.substr(4, 7) == "ftypcrx";
  if ((is_tiff && is_raw) || is_cr3) return &raw_file;
  if (is_tiff) return &tiff_picture;
  const auto* const found =
      std::ranges::find_if(picture_kinds, [&](const Picture& one) { return begin.starts_with(one.begin); });
  return found == picture_kinds.end() ? nullptr : found;
}

std::string make_fits(const Picture& picture, const std::string& path) {
  const bool piped = path == standard_input_path;
  const std::string input = piped ? "FILE" : shell_word(path);
  const std::string output = piped ? "FILE.fits" : shell_word(without_extension(path) + ".fits");
  return std::string(" but ") + picture.kind + "; make FITS of it: python3 -c \"import sys, " + picture.import +
         "; from astropy.io import fits; fits.writeto(sys.argv[2], " + picture.pixels + ")\" " + input + " " + output +
         (picture.pixels == one_colour ? " (one colour of the pixels)" : "");
}

}  // namespace

std::string describe_foreign_file(std::span<const std::byte> begin, const std::string& path) {
  const std::string_view bytes(reinterpret_cast<const char*>(begin.data()), begin.size());
  for (const Packed& one : packed_kinds) {
    if (!bytes.starts_with(one.begin)) continue;
    const std::string packed_by = std::string(" but one that ") + one.program + " has packed; unpack it: ";
    return packed_by + (path == standard_input_path ? std::string(one.pipe) + " before the pipe"
                                                    : std::string(one.unpack) + " " + shell_word(path));
  }
  if (const Picture* const picture = picture_of(bytes, path)) return make_fits(*picture, path);
  const auto begins_as = [&](std::string_view text) {
    return bytes.size() >= text.size() && equal_in_any_case(bytes.substr(0, text.size()), text);
  };
  if (begins_as("<!doctype html") || begins_as("<html"))
    return " but a web page, as of a download that failed; read it, and fetch the file again";
  return "";
}

bool is_foreign_file(const std::string& path) {
  std::error_code failure;  // only a regular file is opened: opening a pipe would wait for a writer
  if (!std::filesystem::is_regular_file(path, failure)) return false;
  std::array<char, foreign_bytes> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  const auto count = static_cast<std::size_t>(file.gcount());
  return !describe_foreign_file(std::as_bytes(std::span(begin)).first(count), path).empty();
}

}  // namespace srcextract
