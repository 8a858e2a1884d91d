#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {

inline TableFile open_votable(const std::string& path) {
  TableFile file;
  file.path = path;
  file.format = TableFormat::votable;
  file.columns = votable_columns(path);
  return file;
}

inline Table read_all(const TableFile& file) {
  std::vector<std::size_t> all(file.columns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return read_votable(file, all);
}

inline Table read_all(const std::string& path) {
  return read_all(open_votable(path));
}

/// What is wrong with the file, without its path; empty if nothing is.
inline std::string problem(const TemporaryFolder& directory, const std::string& text) {
  const std::string path = directory.write("t.vot", text);
  try {
    read_all(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), ::testing::StartsWith(path + ":"));
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

/// One TABLE. The first line of `fields` is line 4 of the file.
inline std::string votable(const std::string& fields, const std::string& data) {
  return "<?xml version='1.0'?>\n<VOTABLE version='1.4'><RESOURCE>\n<TABLE>\n" + fields + data +
         "</TABLE></RESOURCE></VOTABLE>\n";
}

inline std::string field(const std::string& name, const std::string& type, const std::string& more = "") {
  return "<FIELD name='" + name + "' datatype='" + type + "' " + more + "/>\n";
}

inline std::string tabledata(const std::string& rows) {
  return "<DATA><TABLEDATA>\n" + rows + "</TABLEDATA></DATA>\n";
}

inline std::string binary(const std::string& base64, const std::string& kind = "BINARY") {
  return "<DATA><" + kind + "><STREAM encoding='base64'>\n" + base64 + "</STREAM></" + kind + "></DATA>\n";
}

template <class T>
const std::vector<T>& values(const Table& table, std::size_t column) {
  return std::get<std::vector<T>>(table.columns.at(column).values);
}

}  // namespace srcextract::testing
