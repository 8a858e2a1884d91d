#include "survey/sky/hats_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <utility>

#include "io/files/big_endian.hpp"
#include "io/tables/table_file.hpp"
#include "stages/core/error.hpp"
#include "survey/sky/healpix.hpp"
#include "tests/survey/merge/merge_support.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

using testing::contents_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

struct Row {
  std::int32_t number;
  double ra, dec;
};

TableHead head_of_rows(std::size_t count) {
  TableHead head{.name = "SOURCES", .columns = {}, .rows = 0, .creator = "srcextract 1", .history = {}};
  head.columns = {{"NUMBER", "J", "", "", "", std::nullopt, 4},
                  {"ALPHA_J2000", "D", "deg", "", "", std::nullopt, 8},
                  {"DELTA_J2000", "D", "deg", "", "", std::nullopt, 8}};
  head.rows = static_cast<std::int64_t>(count);
  return head;
}

/// Writes them, some at a time, and a table of one image.
void write_hats(const std::string& path, const std::vector<Row>& rows, std::int64_t most_rows) {
  const auto tables = make_hats_tables(path, most_rows);
  tables->begin(head_of_rows(rows.size()));
  constexpr std::size_t at_a_time = 700, bytes = 20;
  for (std::size_t first = 0; first < rows.size(); first += at_a_time) {
    std::vector<std::byte> piece(std::min(at_a_time, rows.size() - first) * bytes);
    for (std::size_t i = 0; i * bytes < piece.size(); ++i) {
      std::byte* const out = piece.data() + i * bytes;
      store_big_endian(rows[first + i].number, out);
      store_big_endian(rows[first + i].ra, out + 4);
      store_big_endian(rows[first + i].dec, out + 12);
    }
    tables->write(piece);
  }
  TableHead images{.name = "IMAGES", .columns = {}, .rows = 1, .creator = "srcextract 1", .history = {}};
  images.columns = {{"N", "J", "", "", "", std::nullopt, 4}};
  tables->begin(images);
  tables->write(std::vector<std::byte>(4, std::byte{1}));
  tables->commit({});
}

/// Some everywhere, most of them within a degree, and two without a position.
std::vector<Row> some_rows() {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> along(0, 360), z(-1, 1), near(0, 1);
  std::vector<Row> rows;
  for (std::int32_t i = 0; i < 5000; ++i) {
    if (i % 3 == 0) {
      rows.push_back({i, along(random), std::asin(z(random)) * 180 / std::numbers::pi});
    } else {
      rows.push_back({i, 150 + near(random), 2 + near(random)});
    }
  }
  rows[17].ra = rows[4999].dec = std::numeric_limits<double>::quiet_NaN();
  return rows;
}

Table read_all(const std::string& path) {
  const TableFile file = open_table(path);
  std::vector<std::size_t> every(file.columns.size());
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = i;
  return read_table(file, every);
}

template <class T>
std::vector<T> values(const Table& table, std::size_t column) {
  std::vector<T> all;
  std::visit(
      [&]<class U>(const std::vector<U>& held) {
        if constexpr (!std::is_same_v<U, std::string>)
          for (const U& value : held) all.push_back(static_cast<T>(value));
      },
      table.columns[column].values);
  return all;
}

/// Each file of the directory, relative to it.
std::set<std::string> files_in(const std::string& directory) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), directory));
  return files;
}

TEST(HatsTables, HaveEachRowOnceInItsCellInOrder) {
  const TemporaryFolder folder;
  const std::vector<Row> rows = some_rows();
  const std::string path = folder / "survey.hats";
  constexpr std::int64_t most = 400;
  write_hats(path, rows, most);
  std::istringstream partitions(contents_of(path + "/partition_info.csv"));
  std::string line;
  std::getline(partitions, line);
  EXPECT_EQ(line, "Norder,Npix");
  std::set<std::string> expected = {"hats.properties", "partition_info.csv", "images.parquet",
                                    "without_position.parquet", "dataset/_common_metadata"};
  std::multiset<std::int32_t> seen;
  while (std::getline(partitions, line)) {
    const int order = std::stoi(line);
    const std::int64_t pixel = std::stoll(line.substr(line.find(',') + 1));
    const std::string file = "dataset/Norder=" + std::to_string(order) + "/Dir=" + std::to_string(pixel / 10000) +
                             (pixel < 10000 ? "" : "0000") + "/Npix=" + std::to_string(pixel) + ".parquet";
    expected.insert(file);
    const Table table = read_all(path + "/" + file);
    ASSERT_EQ(table.columns.size(), 4U);
    EXPECT_EQ(table.columns[0].name, "_healpix_29");
    EXPECT_LE(table.rows, most);
    EXPECT_GT(table.rows, 0);
    const auto cells = values<std::int64_t>(table, 0);
    EXPECT_TRUE(std::ranges::is_sorted(cells));
    const auto numbers = values<std::int32_t>(table, 1);
    const auto ra = values<double>(table, 2), dec = values<double>(table, 3);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Row& row = rows.at(static_cast<std::size_t>(numbers[i]));
      EXPECT_EQ(std::pair(ra[i], dec[i]), std::pair(row.ra, row.dec));
      EXPECT_EQ(healpix_cell(row.ra, row.dec, order), pixel);
      EXPECT_EQ(healpix_ancestor(cells[i], order), pixel);
    }
    seen.insert(numbers.begin(), numbers.end());
  }
  EXPECT_EQ(files_in(path), expected);
  const auto lost = values<std::int32_t>(read_all(path + "/without_position.parquet"), 1);
  EXPECT_THAT(lost, ElementsAre(17, 4999));
  seen.insert(lost.begin(), lost.end());
  EXPECT_EQ(seen.size(), rows.size());
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), rows.size());
  EXPECT_EQ(read_all(path + "/images.parquet").rows, 1);
  EXPECT_THAT(contents_of(path + "/hats.properties"), HasSubstr("\nhats_nrows=4998\n"));
}

TEST(HatsTables, DoNotDependOnThePiecesInWhichRowsCame) {
  const TemporaryFolder folder;
  std::vector<Row> rows = some_rows();
  write_hats(folder / "a.hats", rows, 1000);
  // The same rows, of which those before the last 300 come in other pieces.
  // Some of the cells alone are more than is taken into memory.
  const auto tables = make_hats_tables(folder / "b.hats", 1000, 10'000);
  tables->begin(head_of_rows(rows.size()));
  for (const Row& row : rows) {
    std::vector<std::byte> bytes(20);
    store_big_endian(row.number, bytes.data());
    store_big_endian(row.ra, bytes.data() + 4);
    store_big_endian(row.dec, bytes.data() + 12);
    tables->write(bytes);
  }
  tables->commit({});
  std::size_t compared = 0;
  for (const std::string& file : files_in(folder / "a.hats")) {
    if (!file.ends_with(".parquet") || file == "images.parquet") continue;
    EXPECT_EQ(contents_of(folder / ("a.hats/" + file)), contents_of(folder / ("b.hats/" + file))) << file;
    ++compared;
  }
  EXPECT_GT(compared, 5U);
}

TEST(HatsTables, TakeThePlaceOfSuchADirectoryAndOfNoOther) {
  const TemporaryFolder folder;
  const std::string path = folder / "survey.hats/";
  write_hats(path, some_rows(), 1000);
  write_hats(path, {{1, 10, 10}}, 1000);
  EXPECT_THAT(contents_of(path + "hats.properties"), HasSubstr("\nhats_nrows=1\n"));
  fs::create_directories(folder / "mine.hats");
  folder.write("mine.hats/thesis.tex", "text");
  try {
    make_hats_tables(folder / "mine.hats");
    FAIL() << "somebody's directory is replaced";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
  }
  EXPECT_TRUE(fs::exists(folder / "mine.hats/thesis.tex"));
}

TEST(HatsTables, NeedPositions) {
  const TemporaryFolder folder;
  TableHead head = head_of_rows(0);
  head.columns.pop_back();
  const auto tables = make_hats_tables(folder / "a.hats");
  try {
    tables->begin(head);
    FAIL() << "there are no positions";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), HasSubstr("no DELTA_J2000"));
  }
}

}  // namespace
}  // namespace srcextract
