#pragma once

#include <span>
#include <string>

#include "python/core/catalogue.hpp"

namespace srcextract::python {

/// Converts a catalogue to bytes for pickling: the columns, and the data from which maps, tables and files are made.
/// The bytes are valid for other processes with the same version of the program.
std::string state_of(Catalogue& catalogue);

/// Makes a catalogue from bytes of state_of(). Throws Error{input} if the bytes are damaged or come from another
/// version.
Catalogue catalogue_of_state(std::span<const char> state);

}  // namespace srcextract::python
