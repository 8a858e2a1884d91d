#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_header.hpp"
#include "survey/merge/merge_journals.hpp"

namespace srcextract {

/// The value of column IMAGE: image_label in the ASCII that FITS allows. Other bytes, control characters and the
/// percent sign are written as in URLs ("caf%C3%A9.fits"), so that names stay unique.
std::string image_text(const ImageRecord& record);

/// The column IMAGE, wide enough for all images.
StoredColumn image_column(const SurveyImages& images);

/// Writes the table IMAGES, a row for every image. `unit_of` gives the unit of an image's pixel values. `headers` has
/// the header keywords in the catalogues; empty for a failed image. `warn` is as for header_columns.
void write_images(StoredTables& out, TableHead head, const SurveyImages& images,
                  const std::function<std::string(std::size_t)>& unit_of, const PackedHeaders& headers,
                  const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
