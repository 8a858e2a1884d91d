#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"
#include "survey/merge/packed_headers.hpp"

namespace srcextract {

/// A column of the table IMAGES with the values of a header keyword. store() writes the value of one image to its
/// field.
struct HeaderColumn {
  StoredColumn head;
  std::function<void(const ImageHeader&, std::byte*)> store;
};

/// Makes a column for each keyword that at least one image has, in the order in which keywords first appear. The type
/// is integer (K) if all values are integers, double (D) if all values are numbers, else text.
///
/// If some values are stored as numbers, a text that spells a number ('300') counts as a number, and blanks or 'nan'
/// count as no value; for any other text `warn` is called. A missing value becomes TNULL, NaN or an empty text. If all
/// values are texts, the column is text, even if all spell numbers. In names '-' becomes '_'; a name in `taken`, or of
/// an earlier column, gets the prefix HEADER_.
std::vector<HeaderColumn> header_columns(const PackedHeaders& headers, const std::set<std::string>& taken,
                                         const std::function<void(const std::string&)>& warn);

/// Stores a text, which must not be longer than `width`, in a field of `width` bytes filled up with NUL.
void store_text(const std::string& text, std::size_t width, std::byte* out);

}  // namespace srcextract
