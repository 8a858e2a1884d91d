#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// Whether the command line only asks for a text: no argument at all, `help`, `columns` or `keys`.
bool is_answer(int argc, const char* const* argv);

/// Returns the text that is_answer() recognised: what the program is, the columns that a catalogue may have, or the
/// keys of a configuration. Columns and keys are listed from their declarations. Throws Error{config} with the nearest
/// name if a group, column or section is unknown.
std::string answer(const std::vector<std::string>& arguments);

/// The commands beside extracting images.
std::vector<std::string> command_names();

}  // namespace srcextract
