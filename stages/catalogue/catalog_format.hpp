#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace srcextract {

/// File formats of a catalogue; io/catalog/catalog.hpp describes each of them.
enum class CatalogFormat { fits, ldac, ecsv, csv, ascii_head, votable, votable_text, parquet, reg, crtf };

struct FormatNames {
  CatalogFormat format;
  const char* name;    ///< name in the configuration key output.formats
  const char* ending;  ///< ending of file names
  bool table;          ///< true: a table; false: regions for an image viewer

  friend bool operator==(const FormatNames&, const FormatNames&) = default;
};

inline constexpr std::array catalog_formats = {
    FormatNames{CatalogFormat::fits, "fits", ".fits", true},
    FormatNames{CatalogFormat::ldac, "ldac", ".ldac", true},
    FormatNames{CatalogFormat::ecsv, "ecsv", ".ecsv", true},
    FormatNames{CatalogFormat::csv, "csv", ".csv", true},
    FormatNames{CatalogFormat::ascii_head, "ascii_head", ".txt", true},
    FormatNames{CatalogFormat::votable, "votable", ".vot", true},
    FormatNames{CatalogFormat::votable_text, "votable_text", ".xml", true},
    FormatNames{CatalogFormat::parquet, "parquet", ".parquet", true},
    FormatNames{CatalogFormat::reg, "reg", ".reg", false},
    FormatNames{CatalogFormat::crtf, "crtf", ".crtf", false},
};

inline const FormatNames& names_of_format(CatalogFormat format) {
  return *std::ranges::find(catalog_formats, format, &FormatNames::format);
}

/// The format whose ending matches the end of the file name `path`; null if no ending does.
inline const FormatNames* format_of_name(std::string_view path) {
  const auto found =
      std::ranges::find_if(catalog_formats, [&](const FormatNames& names) { return path.ends_with(names.ending); });
  return found == catalog_formats.end() ? nullptr : &*found;
}

}  // namespace srcextract
