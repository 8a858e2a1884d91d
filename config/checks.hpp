#pragma once

#include <string>

#include "stages/settings/field.hpp"

namespace srcextract::config {

/// Throw Error{config}, with `place` in the message, if `section` or `key` is unknown. The message offers the nearest
/// known name, the section that has the key, or all known names.
void check_section(const Fields& fields, const std::string& section, const std::string& place);
void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place);

/// Returns the keys of a section, joined as in "a, b, c".
std::string keys_in(const Fields& fields, const std::string& section);
/// Returns the names of all sections, joined as in "a, b, c".
std::string all_sections(const Fields& fields);

/// Throws Error{config}, with `place` in the message, if a number is outside the limits of its field.
void check_limit(const Field& field, double number, const std::string& place);
/// Throws Error{config}, with `place` in the message, if another setting makes the field meaningless (Field::no_use).
void check_use(const Field& field, const std::string& place);

}  // namespace srcextract::config
