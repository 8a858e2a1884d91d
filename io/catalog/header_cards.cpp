#include "io/catalog/header_cards.hpp"

#include <algorithm>
#include <iterator>

namespace srcextract {

bool is_of_file(std::string_view name) {
  constexpr std::string_view names[] = {"SIMPLE",   "XTENSION", "EXTEND",  "PCOUNT",  "GCOUNT", "GROUPS",
                                        "CHECKSUM", "DATASUM",  "INHERIT", "NEXTEND", "END"};
  return std::ranges::find(names, name) != std::end(names);
}

bool is_of_one_image(std::string_view name) {
  constexpr std::string_view names[] = {"BITPIX", "NAXIS",   "BSCALE",  "BZERO",    "BLANK",    "BUNIT", "EXTNAME",
                                        "EXTVER", "HISTORY", "COMMENT", "CONTINUE", "HIERARCH", ""};
  return name.starts_with("NAXIS") || std::ranges::find(names, name) != std::end(names);
}

}  // namespace srcextract
