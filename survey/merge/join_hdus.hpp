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

/// Joins the catalogues of a file's HDUs, in this order, into the FITS table SOURCES at `output`. New first columns are
/// EXT_NUMBER (the HDU counted from 0, so that extensions count from 1, as in SExtractor) and EXTNAME. The bytes depend
/// on the catalogues alone. Throws Error{input} with the name of a catalogue that cannot be read, and Error{output} if
/// the result cannot be written. Calls `warn` if a column has different units in different catalogues, and therefore no
/// unit in the result.
void join_hdus(const std::vector<HduCatalog>& catalogs, const std::string& output, const std::string& version,
               const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
