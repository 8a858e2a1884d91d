#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_header.hpp"
#include "survey/merge/merge_journals.hpp"

namespace srcextract {

/// The value of the column IMAGE: image_label() in printable ASCII, as FITS requires. Any other byte and the percent
/// sign are percent-encoded as in URLs ("caf%C3%A9.fits"), so that different names stay different.
std::string image_text(const ImageRecord& record);

/// Makes the column IMAGE, wide enough for the names of all images.
StoredColumn image_column(const SurveyImages& images);

/// Writes the table IMAGES with a row for every image. unit_of(i) is the unit of the pixel values of image i. `headers`
/// has the header keywords of each image, none for a failed image. `warn` is used as in header_columns().
void write_images(StoredTables& out, TableHead head, const SurveyImages& images,
                  const std::function<std::string(std::size_t)>& unit_of, const PackedHeaders& headers,
                  const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
