#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// Whether the command line asks only for a help text: no arguments, or the commands `help`, `columns` or `keys`.
bool is_answer(int argc, const char* const* argv);

/// The text that answers a command line for which is_answer() is true: an overview of the program, the catalogue
/// columns, or the configuration keys. `arguments` begin with the command. Throws Error{config} if a group,
/// column, section, key or command is unknown, or if more than one name follows the command. The message has the
/// nearest known name, if there is one, except for keys.
std::string answer(const std::vector<std::string>& arguments);

/// Index in `argv` of a command that stands after options, as in `srcextract -q -o out batch nights/`; 0 if there is
/// none. The value of an option is no command.
int command_after_options(int argc, const char* const* argv);

/// The names of all commands; extracting images needs no command name.
std::vector<std::string> command_names();

}  // namespace srcextract
