#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace srcextract::documents {

/// A JSON document as one reads it: lists and objects stand on one line where they are short and describe no key.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace srcextract::documents
