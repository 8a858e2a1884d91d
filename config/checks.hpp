#pragma once

#include <map>
#include <string>

#include "config/config.hpp"

namespace srcextract {

/// Throw Error{config}, said to be at `where`, if there is no such section or no such key in it. The message offers the
/// nearest name, or the section to which the key belongs, or all names.
void check_section(const std::string& section, const std::string& where);
void check_key(const std::string& section, const std::string& key, const std::string& where);

/// "a, b, c": the keys of a section.
std::string keys_in(const std::string& section);
/// The same for the sections.
std::string all_sections();

/// Throws Error{config} if a value is outside the limits of its field. `set_at` says for the path of each key that was
/// set where that was; `name` is blamed for the others.
void check_limits(const Config& config, const std::map<std::string, std::string>& set_at, const std::string& name);

}  // namespace srcextract
