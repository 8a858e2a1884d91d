#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace srcextract {

/// The parts of a FITS binary table that a ReadTables function needs: header cards, and the first row of each numeric
/// column.
struct NumberTable {
  std::string name;  ///< EXTNAME
  std::map<std::string, std::variant<double, std::string>, std::less<>> cards;
  std::map<std::string, std::vector<double>, std::less<>> columns;
  std::int64_t rows = 0;
};

/// The numbers from the tables of a file, or the problem with the file. `sets` has one set of numbers for all images,
/// or one for each image of a multi-extension file.
struct TableNumbers {
  std::vector<std::vector<double>> sets = {};
  std::string problem = {};  ///< error message; empty: no problem
};

/// A function that checks the tables of a FITS file that a key names, and returns their numbers (Field::tables).
using ReadTables = TableNumbers (*)(const std::vector<NumberTable>& tables);

}  // namespace srcextract
