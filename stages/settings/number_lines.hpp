#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// A line of a text file of numbers, split into words at blanks. Empty lines and comments (#) are left out.
struct NumberLine {
  std::int64_t number = 0;  ///< of the line in its file, from 1
  std::vector<std::string_view> words;
};

/// The numbers of a text file, or the problem with the file.
struct FileNumbers {
  std::vector<double> values = {};
  std::string problem = {};  ///< empty: none
  std::int64_t line = 1;     ///< of the problem
};

/// A function that checks the lines of a file named by a key, and returns its numbers (Field::numbers).
using ReadNumbers = FileNumbers (*)(const std::vector<NumberLine>& lines);

}  // namespace srcextract
