#pragma once

#include <span>
#include <string>

#include "python/core/catalogue.hpp"

namespace srcextract::python {

/// A catalogue as bytes, for another process of the same version: the columns, and all that its maps, tables and files
/// are made of.
std::string state_of(Catalogue& catalogue);

/// The catalogue again. Throws Error{input} if the bytes are damaged, or another version made them.
Catalogue catalogue_of_state(std::span<const char> state);

}  // namespace srcextract::python
