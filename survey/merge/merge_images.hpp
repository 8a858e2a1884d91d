#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_header.hpp"
#include "survey/merge/merge_journals.hpp"

namespace srcextract {

/// What the column IMAGE says: image_label. FITS has text in ASCII alone: other bytes, control characters and the
/// percent sign are written as in URLs ("caf%C3%A9.fits"), so that every image has a name of its own.
std::string image_text(const ImageRecord& record);

/// The column IMAGE, wide enough for all of them.
StoredColumn image_column(const std::vector<SurveyImage>& images);

/// Writes the table IMAGES, a row for every image. `units` are those of the pixels' values, and `headers` what
/// catalogues say of their images; empty for a failed image.
void write_images(StoredTables& out, TableHead head, const std::vector<SurveyImage>& images,
                  const std::vector<std::string>& units, const std::vector<ImageHeader>& headers);

}  // namespace srcextract
