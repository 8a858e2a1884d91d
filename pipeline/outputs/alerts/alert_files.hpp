#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Writes an alert for each row of a difference, in the order of the catalogue; the caller commits the file. Both
/// formats have the values of alert_candidates() and three cut-outs of 63 x 63 pixels: the new frame, the reference on
/// the pixels of the new one, and the difference minus its sky.
/// - Avro: an object container file with ZTF's records. Cut-outs are gzipped FITS. Unknown values are null.
/// - Parquet: a flat table, `candidate_` in front of the names of the record. Cut-outs are lists of float32. Unknown
///   numbers are NaN.
/// The bytes depend on the frames and the configuration alone; those of cut-outs in Avro also on the version of zlib.
/// Throws Error{output}.
[[nodiscard]] OutputFile write_alerts(const std::string& path, AlertFormat format, const ImageInput& input,
                                      const Extraction& extraction, const CatalogMetadata& metadata, const Cpu& where);

}  // namespace srcextract
