#pragma once

#include <optional>
#include <string>

namespace srcextract {

/// Returns the Julian date of a FITS date: YYYY-MM-DD, with Thh:mm:ss[.s] or without, or DD/MM/YY for the years 1900 to
/// 1999. Returns nothing for other text.
std::optional<double> julian_date(const std::string& date);

}  // namespace srcextract
