#pragma once

#include <string>

namespace srcextract {

std::string cfitsio_version();
std::string wcslib_version_text();

}  // namespace srcextract
