#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/catalog/row_sink.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract::testing {

/// The Python that has tests/support/readers.txt; empty if there is none.
inline std::string parquet_python() {
  const char* const named = std::getenv("SRCEXTRACT_READERS_PYTHON");
  return named == nullptr ? "" : named;
}
inline constexpr const char* no_readers =
    "SRCEXTRACT_READERS_PYTHON names no Python that has tests/support/readers.txt";

/// Rows of every type: numbers of which all bits are random, vectors, pictures of 3 x 2, and text of many lengths, some
/// of it not ASCII.
class EveryType {
 public:
  explicit EveryType(std::size_t rows) : count_(rows) {
    std::mt19937_64 random(rows + 1);
    fill(random, short_), fill(random, int_), fill(random, long_), fill(random, float_), fill(random, double_);
    for (auto& values : vector_) fill(random, values);
    picture_.resize(6 * rows);
    for (float& value : picture_) value = static_cast<float>(random() % 1000);
    const std::vector<std::string> words = {"", "m31.fits", "nuit d'été/α Ori.fits", "\xf0\x9f\x94\xad", "\"a\", b"};
    for (std::size_t row = 0; row < rows; ++row)
      text_.push_back(words[random() % words.size()] + std::string(random() % 20, 'x'));
  }

  /// The rows [begin, end).
  CatalogRows rows(std::size_t begin, std::size_t end) const {
    CatalogRows out{{}, static_cast<std::int64_t>(end - begin)};
    const auto add = [&]<class T>(const char* name, const char* unit, const char* ucd, FieldValues<T> values) {
      for (const T*& element : values.elements) element += begin * values.step;
      out.fields.push_back({{name, unit, ucd, "What it's like: \"x\"", 0}, values});
    };
    add("SHORT", "", "meta.code", FieldValues<std::int16_t>{{short_.data()}});
    add("INT", "pixel", "", FieldValues<std::int32_t>{{int_.data()}});
    add("LONG", "", "", FieldValues<std::int64_t>{{long_.data()}});
    add("FLOAT", "mag", "phot.mag", FieldValues<float>{{float_.data()}});
    add("DOUBLE", "deg", "pos.eq.ra", FieldValues<double>{{double_.data()}});
    add("VECTOR", "count", "phot.flux", FieldValues<double>{{vector_[0].data(), vector_[1].data(), vector_[2].data()}});
    FieldValues<float> pictures{{}, 6, 3};
    for (std::size_t pixel = 0; pixel < 6; ++pixel)
      pictures.elements.push_back(picture_.empty() ? nullptr : picture_.data() + pixel);
    add("PICTURE", "", "", pictures);
    add("TEXT", "", "meta.id", FieldValues<std::string>{{text_.data()}});
    return out;
  }
  CatalogRows rows() const { return rows(0, count_); }
  std::size_t count() const { return count_; }

  /// Writes every column as the machine has it, row after row, as NAME.bin; text one a line.
  void write_raw(const TemporaryFolder& folder) const {
    for_each_field(rows(), [&]<class T>(const Column& column, const FieldValues<T>& values) {
      std::ofstream file(folder / (std::string(column.name) + ".bin"), std::ios::binary);
      for (std::size_t row = 0; row < count_; ++row) {
        for (std::size_t element = 0; element < values.size(); ++element) {
          const T& value = values.at(row, element);
          if constexpr (std::is_same_v<T, std::string>) {
            file << value << '\n';
          } else {
            file.write(reinterpret_cast<const char*>(&value), sizeof(T));
          }
        }
      }
    });
  }

 private:
  template <class T>
  void fill(std::mt19937_64& random, std::vector<T>& values) {
    values.resize(count_);
    for (T& value : values) {
      const std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof(T));
    }
  }

  std::size_t count_;
  std::vector<std::int16_t> short_;
  std::vector<std::int32_t> int_;
  std::vector<std::int64_t> long_;
  std::vector<float> float_, picture_;
  std::vector<double> double_, vector_[3];
  std::vector<std::string> text_;
};

/// Writes the rows in pieces of so many.
inline std::string write_parquet(const std::string& path, const EveryType& table, std::size_t piece,
                                 ParquetCompression compression = ParquetCompression::none, int threads = 1) {
  CatalogMetadata metadata{"1.2.3", "input:\n  hdu: 'it''s'\n"};
  metadata.parquet_compression = compression;
  OutputFile file(path);
  const auto sink =
      parquet_sink(file, table.rows(0, 0), static_cast<std::int64_t>(table.count()), metadata, Cpu{threads});
  for (std::size_t begin = 0; begin < table.count(); begin += piece)
    sink->write(table.rows(begin, std::min(table.count(), begin + piece)));
  sink->finish();
  file.commit();
  return path;
}

}  // namespace srcextract::testing
