#pragma once

#include <functional>
#include <string>
#include <vector>

namespace srcextract {

/// The FITS catalogue of one HDU of a file.
struct HduCatalog {
  int hdu = 0;          ///< 0-based
  std::string extname;  ///< empty if it has none
  std::string path;     ///< of the catalogue
};

/// Joins the catalogues of a file's HDUs, in this order, into the FITS table SOURCES at `output`: every row of each
/// after the columns EXT_NUMBER (the HDU, counted from 0, so that extensions count from 1: SExtractor's) and EXTNAME.
/// The bytes depend on the catalogues alone. Throws Error{input} that names a catalogue that cannot be read,
/// Error{output} if there is no place for the result. Calls `warn` if columns have different units in different
/// catalogues, and therefore none in the result.
void join_hdus(const std::vector<HduCatalog>& catalogs, const std::string& output, const std::string& version,
               const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
