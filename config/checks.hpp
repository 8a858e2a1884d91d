#pragma once

#include <string>

#include "stages/settings/field.hpp"

namespace srcextract::config {

/// Throw Error{config}, with `place` in the message, if the section or its key is unknown. The message offers the
/// nearest name, or the section that has the key, or all names.
void check_section(const Fields& fields, const std::string& section, const std::string& place);
void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place);

/// "a, b, c": the keys of a section.
std::string keys_in(const Fields& fields, const std::string& section);
/// "a, b, c": all sections.
std::string all_sections(const Fields& fields);

/// Throws Error{config}, with `place` in the message, if a number is outside the limits of its field.
void check_limit(const Field& field, double number, const std::string& place);
/// Throws Error{config}, with `place` in the message, if the field has no use (Field::no_use).
void check_use(const Field& field, const std::string& place);

}  // namespace srcextract::config
