#pragma once

#include <cstddef>
#include <string_view>

#include "io/tables/text_fields.hpp"

namespace srcextract {

/// Calls on_item(index, text) for each item of a JSON list of numbers such as `[1.0,NaN,null]`. The items of nested
/// lists count as items of one list. Returns false if the list is invalid, or if on_item returns false.
template <class OnItem>
bool for_each_item(std::string_view list, const OnItem& on_item) {
  std::size_t items = 0, depth = 0;
  bool item_due = true, ended = false;
  for (std::size_t at = 0; at < list.size();) {
    const char c = list[at];
    if (is_blank(c)) {
      ++at;
      continue;
    }
    if (ended) return false;
    if (c == '[') {
      if (!item_due) return false;
      ++depth;
      ++at;
      continue;
    }
    if (depth == 0) return false;
    if (c == ',' || c == ']') {
      if (item_due) return false;
      item_due = c == ',';
      ended = c == ']' && --depth == 0;
      ++at;
      continue;
    }
    const std::size_t end = list.find_first_of(",[] \t", at);
    if (!item_due || end == list.npos || !on_item(items++, list.substr(at, end - at))) return false;
    item_due = false;
    at = end;
  }
  return ended;
}

}  // namespace srcextract
