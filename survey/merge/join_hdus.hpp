#pragma once

#include <functional>
#include <string>
#include <vector>

namespace srcextract {

/// The FITS catalogue of one HDU of a file.
struct HduCatalog {
  int hdu = 0;          ///< number of the HDU, from 0 (the primary HDU)
  std::string extname;  ///< EXTNAME of the HDU; empty if there is none
  std::string path;     ///< path of the catalogue
};

/// Joins the catalogues of a file's HDUs, in the given order, into the FITS table SOURCES at `output`. The table gets
/// two new first columns: EXTNAME, and before it EXT_NUMBER, the number of the HDU from 0, so that extensions count
/// from 1 as in SExtractor. The result depends only on the catalogues. Calls `warn` if a column has different units in
/// different catalogues; the column then has no unit in the result. Throws Error{config} if the columns of the
/// catalogues do not fit together (SurveyLayout). Throws Error{input} with the name of a catalogue that cannot be read,
/// and Error{output} if the result cannot be written.
void join_hdus(const std::vector<HduCatalog>& catalogs, const std::string& output, const std::string& version,
               const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
