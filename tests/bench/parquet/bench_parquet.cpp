// Writes a table of 50 columns as Parquet, in pieces as a merge of catalogues has them, beside as many bytes written
// plainly: `bench_parquet FOLDER [ROWS [none|zstd [THREADS]]]`. Says seconds, MB/s and the most memory that was ever
// taken.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "io/catalog/row_sink.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t piece = 20'000;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void say(const char* what, double seconds, std::int64_t bytes) {
  std::printf("%-24s %8.2f s  %8.0f MB/s  %10.0f MB  peak of memory %.0f MB\n", what, seconds,
              static_cast<double>(bytes) / 1e6 / seconds, static_cast<double>(bytes) / 1e6, peak_mb());
}

/// Values as catalogues have them: 5 counters, 10 floats, 35 doubles, some of which repeat.
class Piece {
 public:
  Piece() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int i = 0; i < 50; ++i) {
      names_.push_back("COLUMN_" + std::string(1, static_cast<char>('A' + i / 26)) + static_cast<char>('A' + i % 26));
      if (i < 5) {
        ints_.emplace_back();
        for (std::int64_t row = 0; row < piece; ++row)
          ints_.back().push_back(static_cast<std::int32_t>(random() % 4096));
      } else if (i < 15) {
        floats_.emplace_back();
        for (std::int64_t row = 0; row < piece; ++row)
          floats_.back().push_back(static_cast<float>(20 + normal(random)));
      } else {
        doubles_.emplace_back();
        for (std::int64_t row = 0; row < piece; ++row) doubles_.back().push_back(1000 * normal(random));
      }
    }
  }

  CatalogRows rows(std::int64_t count) const {
    CatalogRows out{{}, count};
    const auto add = [&](const auto& columns) {
      for (const auto& values : columns) {
        const Column head{names_[out.fields.size()].c_str(), "", "", "", 0};
        out.fields.push_back({head, FieldValues<typename std::decay_t<decltype(values)>::value_type>{{values.data()}}});
      }
    };
    add(ints_), add(floats_), add(doubles_);
    return out;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<std::int32_t>> ints_;
  std::vector<std::vector<float>> floats_;
  std::vector<std::vector<double>> doubles_;
};

std::int64_t write_table(const std::string& path, std::int64_t rows, const CatalogMetadata& metadata, int threads) {
  const Piece one;
  const auto begin = std::chrono::steady_clock::now();
  OutputFile file(path);
  const Cpu where{threads};
  const auto sink = parquet_sink(file, one.rows(0), rows, metadata, where);
  for (std::int64_t done = 0; done < rows; done += piece) sink->write(one.rows(std::min(piece, rows - done)));
  sink->finish();
  file.flush();
  say("Parquet", seconds_since(begin), file.size());
  return file.size();
}

void write_plainly(const std::string& path, std::int64_t bytes) {
  const std::vector<char> block(std::size_t{1} << 20, 'x');
  const auto begin = std::chrono::steady_clock::now();
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (std::int64_t left = bytes; left > 0;) {
    const ssize_t written =
        write(file, block.data(), std::min<std::size_t>(block.size(), static_cast<std::size_t>(left)));
    if (written <= 0) std::abort();
    left -= written;
  }
  fsync(file);
  close(file);
  say("as many bytes, plainly", seconds_since(begin), bytes);
  unlink(path.c_str());
}

}  // namespace
}  // namespace srcextract

int main(int count, char** words) {
  using namespace srcextract;
  if (count < 2) {
    std::fprintf(stderr, "Usage: bench_parquet FOLDER [ROWS [none|zstd [THREADS]]]\n");
    return 2;
  }
  const std::string folder = words[1];
  const std::int64_t rows = count > 2 ? std::atoll(words[2]) : 10'000'000;
  CatalogMetadata metadata{"0", ""};
  if (count > 3 && words[3] == std::string("zstd")) metadata.parquet_compression = ParquetCompression::zstd;
  const std::int64_t bytes =
      write_table(folder + "/bench.parquet", rows, metadata, count > 4 ? std::atoi(words[4]) : available_threads());
  write_plainly(folder + "/bench.bytes", bytes);
}
