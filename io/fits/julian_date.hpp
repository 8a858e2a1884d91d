#pragma once

#include <optional>
#include <string>

namespace srcextract {

/// The Julian date of a FITS date: YYYY-MM-DD, with Thh:mm:ss[.s] or without, or DD/MM/YY of the years 1900 to 1999.
/// Empty for other text.
std::optional<double> julian_date(const std::string& date);

}  // namespace srcextract
