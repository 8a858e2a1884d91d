#include "survey/sky/hats_tables.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/files/big_endian.hpp"
#include "io/files/output_directory.hpp"
#include "io/files/output_file.hpp"
#include "io/files/scratch_file.hpp"
#include "stages/core/error.hpp"
#include "survey/formats/piece.hpp"
#include "survey/formats/survey_tables.hpp"
#include "survey/sky/healpix.hpp"
#include "survey/sky/sky_cells.hpp"
#include "survey/sky/sky_place.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

using Bytes = std::span<const std::byte>;

/// A row's HEALPix cell of order 29, and the byte offset of the row in the loaded rows or in the scratch file.
using Place = std::pair<std::int64_t, std::size_t>;
using PlaceSpan = std::span<const Place>;

constexpr std::int64_t cell_bytes = 8;
constexpr std::int64_t no_cell = -1;

/// Rows that were written to the scratch file in one write().
struct Chunk {
  std::int64_t offset, rows;
  std::vector<std::int64_t> cells;  ///< cells of SkyCells::smallest_order that contain the rows; sorted, each once;
                                    ///< no_cell for rows without position
};

std::int64_t cell_of_chunks(std::int64_t finest) {
  return finest == no_cell ? no_cell : healpix_ancestor(finest, SkyCells::smallest_order);
}

SkyColumns sky_columns(const TableHead& head) {
  std::optional<const char*> missing;
  const SkyColumns columns(head.columns, missing);
  if (!missing) return columns;
  throw Error(ErrorKind::config,
              std::string("the rows have no ") + *missing +
                  ", and so no place on the sky; choose another format, or extract images that have a WCS, with "
                  "ALPHA_J2000 and DELTA_J2000 among their columns");
}

StoredColumn cell_column() {
  return {.name = "_healpix_29",
          .form = "K",
          .unit = "",
          .ucd = "pos.healpix",
          .description = "HEALPix cell of order 29, nested",
          .bytes = cell_bytes};
}

void write_text(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

/// Throws Error{config} if the path exists and is neither an earlier survey catalogue in HATS format nor an empty
/// directory.
void require_replaceable(const std::string& path) {
  std::error_code unknown;
  if (!fs::exists(path, unknown) || fs::exists(fs::path(path) / "hats.properties", unknown)) return;
  if (fs::is_directory(path, unknown) && fs::is_empty(path, unknown)) return;
  throw Error(
      ErrorKind::config,
      path + " is there, and no survey by cells of the sky, which alone would be replaced; choose another name");
}

class HatsTables final : public StoredTables {
 public:
  HatsTables(const std::string& path, std::int64_t most_rows, std::int64_t most_bytes)
      : path_(path), most_rows_(most_rows), most_bytes_(most_bytes) {
    require_replaceable(path);
    directory_.emplace(path);
    rows_.emplace(directory_->place());
  }

  void begin(const TableHead& head) override {
    if (!head_) {
      head_ = head;
      sky_ = sky_columns(head);
      for (const StoredColumn& column : head.columns) row_bytes_ += column.bytes;
      head_->columns.insert(head_->columns.begin(), cell_column());
      return;
    }
    images_ = make_survey_tables(in("images.parquet"));
    images_->begin(head);
  }

  void write(Bytes rows) override {
    if (images_) return images_->write(rows);
    const std::int64_t count = std::ssize(rows) / row_bytes_;
    if (count == 0) return;
    put_aside_.resize(static_cast<std::size_t>(count * stored_bytes()));
    Chunk chunk{rows_->size(), count, {}};
    std::byte* out = put_aside_.data();
    for (; !rows.empty(); rows = rows.subspan(static_cast<std::size_t>(row_bytes_)), out += stored_bytes()) {
      const std::int64_t finest = cell_of(rows);
      if (finest == no_cell) ++without_position_;
      if (finest != no_cell) cells_.add(finest);
      if (chunk.cells.empty() || chunk.cells.back() != cell_of_chunks(finest))
        chunk.cells.push_back(cell_of_chunks(finest));
      store_big_endian(finest, out);
      std::memcpy(out + cell_bytes, rows.data(), static_cast<std::size_t>(row_bytes_));
    }
    std::ranges::sort(chunk.cells);
    chunk.cells.erase(std::unique(chunk.cells.begin(), chunk.cells.end()), chunk.cells.end());
    rows_->append(put_aside_);
    chunks_.push_back(std::move(chunk));
  }

  void commit(std::vector<OutputFile> beside) override {
    if (images_) images_->commit({});
    const std::vector<SkyCell> cells = cells_.divide(most_rows_);
    write_cells(cells);
    if (without_position_ > 0) write_without_position();
    write_rows(in("dataset/_common_metadata.parquet"), {});
    fs::rename(in("dataset/_common_metadata.parquet"), in("dataset/_common_metadata"));
    write_facts(cells);
    for (OutputFile& file : beside) file.seal();
    directory_->commit();
    srcextract::commit(beside);
  }

 private:
  std::string in(const std::string& name) const { return fs::path(directory_->place()) / name; }
  std::int64_t stored_bytes() const { return row_bytes_ + cell_bytes; }

  std::int64_t cell_of(Bytes row) const {
    const auto position = sky_->position(row);
    return position ? healpix_cell(position->first, position->second, finest_healpix_order) : no_cell;
  }

  /// Calls f(cell of order 29, row, byte offset in the scratch file) for each row of a chunk.
  template <class F>
  void for_each_row(const Chunk& chunk, F&& f) {
    const auto stride = static_cast<std::size_t>(stored_bytes());
    put_aside_.resize(static_cast<std::size_t>(chunk.rows) * stride);
    rows_->read(chunk.offset, put_aside_);
    for (std::size_t at = 0; at < put_aside_.size(); at += stride)
      f(load_big_endian<std::int64_t>(put_aside_.data() + at), Bytes(put_aside_).subspan(at, stride),
        static_cast<std::size_t>(chunk.offset) + at);
  }

  /// Sets order_ to the rows whose cells of order 29 are in [begin, end), sorted by cell. `rows` is their number. If
  /// the rows fit in memory, they are loaded; else they stay in the scratch file.
  void load(std::int64_t begin, std::int64_t end, std::int64_t rows) {
    loaded_.clear();
    order_.clear();
    order_.reserve(static_cast<std::size_t>(rows));
    is_loaded_ = rows <= most_bytes_ / stored_bytes();
    if (is_loaded_) loaded_.reserve(static_cast<std::size_t>(rows * stored_bytes()));
    const std::int64_t first = cell_of_chunks(begin), last = cell_of_chunks(end - 1);
    for (const Chunk& chunk : chunks_) {
      const auto near = std::ranges::lower_bound(chunk.cells, first);
      if (near == chunk.cells.end() || *near > last) continue;
      for_each_row(chunk, [&](std::int64_t finest, Bytes row, std::size_t at) {
        if (finest < begin || finest >= end) return;
        order_.emplace_back(finest, is_loaded_ ? loaded_.size() : at);
        if (is_loaded_) loaded_.insert(loaded_.end(), row.begin(), row.end());
      });
    }
    std::ranges::sort(order_);
  }

  /// Writes a file for each cell. The rows of several cells are loaded at a time, as far as memory allows, since every
  /// chunk that is read has rows of many cells.
  void write_cells(const std::vector<SkyCell>& cells) {
    fs::create_directories(in("dataset"));
    for (auto cell = cells.begin(); cell != cells.end();) {
      auto end = cell + 1;
      std::int64_t rows = cell->rows;
      for (; end != cells.end() && rows + end->rows <= most_bytes_ / stored_bytes(); ++end) rows += end->rows;
      load(cell->begin(), (end - 1)->end(), rows);
      for (PlaceSpan rest = order_; cell != end; ++cell) {
        const auto count = static_cast<std::size_t>(cell->rows);
        write_rows(file_of(*cell), rest.first(count));
        rest = rest.subspan(count);
      }
    }
  }

  std::string file_of(const SkyCell& cell) const {
    constexpr std::int64_t in_a_directory = 10'000;
    const std::string directory = in("dataset/Norder=" + std::to_string(cell.order) +
                                     "/Dir=" + std::to_string(cell.pixel / in_a_directory * in_a_directory));
    fs::create_directories(directory);
    return directory + "/Npix=" + std::to_string(cell.pixel) + ".parquet";
  }

  std::unique_ptr<StoredTables> begin_rows(const std::string& path, std::int64_t rows) const {
    TableHead head = *head_;
    head.rows = rows;
    std::unique_ptr<StoredTables> tables = make_survey_tables(path);
    tables->begin(head);
    return tables;
  }

  /// Writes the rows without a position, in their original order. One chunk is read at a time, since any number of rows
  /// may have no position.
  void write_without_position() {
    const std::unique_ptr<StoredTables> tables = begin_rows(in("without_position.parquet"), without_position_);
    for (const Chunk& chunk : chunks_) {
      if (chunk.cells.front() != no_cell) continue;
      loaded_.clear();
      for_each_row(chunk, [&](std::int64_t finest, Bytes row, std::size_t) {
        if (finest == no_cell) loaded_.insert(loaded_.end(), row.begin(), row.end());
      });
      tables->write(loaded_);
    }
    tables->commit({});
  }

  /// Writes a Parquet file with these rows, some rows at a time.
  void write_rows(const std::string& path, PlaceSpan rows) {
    const std::unique_ptr<StoredTables> tables = begin_rows(path, std::ssize(rows));
    const auto stride = static_cast<std::size_t>(stored_bytes());
    while (!rows.empty()) {
      const PlaceSpan piece = rows.first(std::min<std::size_t>(rows.size(), rows_in_piece(stride)));
      rows = rows.subspan(piece.size());
      put_aside_.resize(piece.size() * stride);
      std::byte* out = put_aside_.data();
      for (const auto& [finest, at] : piece) {
        if (is_loaded_) std::memcpy(out, loaded_.data() + at, stride);
        if (!is_loaded_) rows_->read(static_cast<std::int64_t>(at), {out, stride});
        out += stride;
      }
      tables->write(put_aside_);
    }
    tables->commit({});
  }

  void write_facts(const std::vector<SkyCell>& cells) const {
    std::string partitions = "Norder,Npix\n";
    int order = 0;
    std::int64_t rows = 0;
    for (const SkyCell& cell : cells) {
      partitions += std::to_string(cell.order) + "," + std::to_string(cell.pixel) + "\n";
      order = std::max(order, cell.order);
      rows += cell.rows;
    }
    write_text(in("partition_info.csv"), partitions);
    const std::string name = fs::path(path_.ends_with('/') ? path_.substr(0, path_.size() - 1) : path_).stem();
    write_text(in("hats.properties"),
               "#HATS catalog\nobs_collection=" + name +
                   "\ndataproduct_type=source\nhats_nrows=" + std::to_string(rows) +
                   "\nhats_col_ra=ALPHA_J2000\nhats_col_dec=DELTA_J2000\nhats_col_healpix=_healpix_29"
                   "\nhats_col_healpix_order=29\nhats_npix_suffix=.parquet\nhats_max_rows=" +
                   std::to_string(most_rows_) + "\nhats_order=" + std::to_string(order) +
                   "\nhats_builder=" + head_->creator + "\nhats_version=v1.0\n");
  }

  std::string path_;
  std::int64_t most_rows_, most_bytes_;
  std::optional<OutputDirectory> directory_;
  std::optional<ScratchFile> rows_;
  std::optional<TableHead> head_;
  std::optional<SkyColumns> sky_;
  std::int64_t row_bytes_ = 0, without_position_ = 0;
  SkyCells cells_;
  std::vector<Chunk> chunks_;
  std::vector<std::byte> put_aside_;  ///< buffer for rows that are written to or read from `rows_`
  std::vector<std::byte> loaded_;     ///< rows in memory, after load()
  std::vector<Place> order_;          ///< cells and offsets of rows, in the order in which they are written
  bool is_loaded_ = true;             ///< false: rows are read from the scratch file one by one
  std::unique_ptr<StoredTables> images_;
};

}  // namespace

std::unique_ptr<StoredTables> make_hats_tables(const std::string& path, std::int64_t most_rows,
                                               std::int64_t most_bytes) {
  return std::make_unique<HatsTables>(path, most_rows, most_bytes);
}

}  // namespace srcextract
