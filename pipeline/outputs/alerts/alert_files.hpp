#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Writes an alert for each row of a difference's catalogue, in the same order; the caller commits the file. Both
/// formats contain the values of alert_candidates() and three cut-outs of 63 x 63 pixels. The cut-outs are of the new
/// image, of the reference image resampled to the pixels of the new image, and of the difference minus the sky.
/// - Avro: an object container file with records like those of ZTF. Cut-outs are gzipped FITS. Unknown values are null.
/// - Parquet: a flat table; the names of columns from the record `candidate` begin with `candidate_`. Cut-outs are
///   lists of float32. Unknown numbers are NaN.
///
/// The bytes depend only on the images, the configuration and the program's version. Cut-outs in Avro also depend on
/// the version of zlib. Throws Error{output}.
[[nodiscard]] OutputFile write_alerts(const std::string& path, AlertFormat format, const ImageInput& input,
                                      const Extraction& extraction, const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
