#pragma once

#include <string>

#include "config/field.hpp"

namespace srcextract::config {

/// Throw Error{config}, said to be at `place`, if there is no such section or no such key in it. The message offers the
/// nearest name, or the section to which the key belongs, or all names.
void check_section(const Fields& fields, const std::string& section, const std::string& place);
void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place);

/// "a, b, c": the keys of a section.
std::string keys_in(const Fields& fields, const std::string& section);
/// The same for the sections.
std::string all_sections(const Fields& fields);

/// Throws Error{config}, said to be at `place`, if a number is outside the limits of its field.
void check_limit(const Field& field, double number, const std::string& place);
/// The same if its field has no use.
void check_use(const Field& field, const std::string& place);

}  // namespace srcextract::config
