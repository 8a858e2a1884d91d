#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "io/tables/stored_table.hpp"
#include "survey/merge/packed_headers.hpp"

namespace srcextract {

/// A column of IMAGES with the values of a header keyword.
struct HeaderColumn {
  StoredColumn head;
  std::function<void(const ImageHeader&, std::byte*)> store;
};

/// A column for each keyword that any image has, in order of first appearance. The type is integer (K) if all values
/// are whole numbers, double (D) if all are numbers, else text. If other values are numbers, numeric text ('300')
/// counts as a number, and blank text or 'nan' as no value; `warn` reports other text. A missing value is TNULL, NaN or
/// blank. Names have '_' for '-', and begin with HEADER_ if they are `taken`.
std::vector<HeaderColumn> header_columns(const PackedHeaders& headers, const std::set<std::string>& taken,
                                         const std::function<void(const std::string&)>& warn);

/// Stores text in a field of `width` bytes; shorter text ends with NUL.
void store_text(const std::string& text, std::size_t width, std::byte* out);

}  // namespace srcextract
