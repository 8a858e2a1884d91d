#pragma once

#include <string>

namespace srcextract::documents {

/// Completes `text`, the content of config/default.yaml. Each missing key gets an entry behind the key declared before
/// it: its description as a comment, and its default.
std::string default_yaml(const std::string& text);

}  // namespace srcextract::documents
