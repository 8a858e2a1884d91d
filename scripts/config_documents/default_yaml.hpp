#pragma once

#include <string>

namespace srcextract::documents {

/// `text` of config/default.yaml with an entry for each key that it lacks, after the key declared before it. An entry
/// is the key's description as a comment, and its default.
std::string default_yaml(const std::string& text);

}  // namespace srcextract::documents
