#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The candidate that `word` is most likely a misspelling of: fewest letters to insert, delete or change, capitals
/// ignored. If more than a third of the word would have to change, the first candidate that the word is a part of, or
/// else nothing.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b, c".
std::string join(const std::vector<std::string>& words);

}  // namespace srcextract
