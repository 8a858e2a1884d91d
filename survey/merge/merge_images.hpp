#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_header.hpp"
#include "survey/merge/merge_journals.hpp"

namespace srcextract {

/// What the column IMAGE says: image_label. FITS has text in ASCII alone: other bytes, control characters and the
/// percent sign are written as in URLs ("caf%C3%A9.fits"), so that every image has a name of its own.
std::string image_text(const ImageRecord& record);

/// The column IMAGE, wide enough for all of them.
StoredColumn image_column(const SurveyImages& images);

/// Writes the table IMAGES, a row for every image. `unit_of` tells the unit of the pixels' values of each, and
/// `headers` are what catalogues say of their images; empty for a failed image; `warn` is as of header_columns.
void write_images(StoredTables& out, TableHead head, const SurveyImages& images,
                  const std::function<std::string(std::size_t)>& unit_of, const PackedHeaders& headers,
                  const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
