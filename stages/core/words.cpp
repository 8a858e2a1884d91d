#include "stages/core/words.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

/// Levenshtein distance of two texts, ignoring case. `row` is one row of the usual table of distances.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (small(a[i]) == small(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = (word.size() + 2) / 3 + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  if (!best.empty() || word.size() < 3) return best;
  const auto part_of = [&](const std::string& candidate) { return candidate.find(word) != std::string::npos; };
  const auto longer = std::find_if(candidates.begin(), candidates.end(), part_of);
  return longer == candidates.end() ? "" : *longer;
}

std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return is_letter(c) || is_digit(c) || std::string_view("_./+-,=@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string quoted(const std::string& text) {
  constexpr std::size_t longest = 80;
  return text.size() <= longest ? "'" + text + "'" : "'" + text.substr(0, longest) + "...'";
}

}  // namespace srcextract
