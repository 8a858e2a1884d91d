#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Lists keys of a configuration with the values of the default configuration, as YAML. If another value applies to a
/// configuration that extends none, a comment gives that value. `wanted` is a section, a key "section.key", a word that
/// names or descriptions contain, or `all`; without it, lists the sections. Throws Error{config} if there is no such
/// key.
std::string keys_text(const std::string& wanted);

/// Lists some keys "section.key" for the help of a command, with their values in the configuration `config`
/// (load_given()) and their descriptions.
std::string keys_that_matter(const std::vector<std::string>& paths, const std::string& config);

/// Returns the settings "--set section.key=VALUE" of all keys that the name of an option spells, as in --threshold or
/// --min-area; separated by " or ". `value` stands for VALUE if it is a number. Empty if there are no such keys.
std::string settings_for_option(const std::string& option, const std::string& value);

/// Breaks `text` into lines of at most 100 characters, each of which begins with `indent`.
std::string wrapped(std::string_view text, const std::string& indent);

/// The text, padded with spaces to `width` characters, or with one space if the text is not shorter.
std::string padded(const std::string& text, std::size_t width);

}  // namespace srcextract
