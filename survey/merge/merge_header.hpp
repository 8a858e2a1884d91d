#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"
#include "survey/merge/packed_headers.hpp"

namespace srcextract {

/// A column of IMAGES that has the values of a keyword.
struct HeaderColumn {
  StoredColumn head;
  std::function<void(const ImageHeader&, std::byte*)> store;
};

/// A column for each keyword that any image has, in the order in which they first come: integers (K) where all values
/// are whole numbers, numbers (D) where all are numbers, else text. A text that is a number in full ('300') is one
/// where others have numbers, and blanks or 'nan' are none; where others have other text `warn` hears of it. Where an
/// image has none it is TNULL, NaN or blank. Names have '_' for '-', and HEADER_ before them where they are `taken`.
std::vector<HeaderColumn> header_columns(const PackedHeaders& headers, const std::set<std::string>& taken,
                                         const std::function<void(const std::string&)>& warn);

/// Stores text in a field of that many bytes; NUL ends what is shorter.
void store_text(const std::string& text, std::size_t width, std::byte* out);

}  // namespace srcextract
