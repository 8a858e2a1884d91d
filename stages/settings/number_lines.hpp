#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// A line of a text file of numbers, split into words at blanks. There are none for empty lines and comment lines (#).
struct NumberLine {
  std::int64_t number = 0;  ///< line number in the file, from 1
  std::vector<std::string_view> words;
};

/// The numbers of a text file, or the problem with the file.
struct FileNumbers {
  std::vector<double> values = {};
  std::string problem = {};  ///< error message; empty: no problem
  std::int64_t line = 1;     ///< line number of the problem, from 1
};

/// A function that checks the lines of a text file that a key names, and returns the file's numbers (Field::numbers).
using ReadNumbers = FileNumbers (*)(const std::vector<NumberLine>& lines);

}  // namespace srcextract
