#include "io/catalog/binary_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/files/big_endian.hpp"
#include "io/fits/card.hpp"
#include "io/fits/table_head.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Rows that a thread encodes at a time, few enough to fit into the cache of a processor core.
constexpr std::int64_t chunk_rows = 2048;

/// Largest number of rows, and of bytes, that are encoded before they are written to the file.
constexpr std::int64_t rows_at_a_time = 64 * chunk_rows, bytes_at_a_time = std::int64_t{64} << 20;

std::int64_t longest_text(const FieldValues<std::string>& values, std::int64_t rows) {
  std::size_t longest = 1;
  for (std::int64_t row = 0; row < rows; ++row)
    longest = std::max(longest, values.at(static_cast<std::size_t>(row), 0).size());
  return static_cast<std::int64_t>(longest);
}

template <class T>
char type_letter(bool narrow) {
  if constexpr (std::is_same_v<T, std::string>) return 'A';
  if constexpr (std::is_same_v<T, std::int16_t>) return 'I';
  if constexpr (std::is_same_v<T, std::int32_t>) return 'J';
  if constexpr (std::is_same_v<T, std::int64_t>) return narrow ? 'J' : 'K';
  if constexpr (std::is_same_v<T, float>) return 'E';
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_same_v<T, std::string>);
  return narrow ? 'E' : 'D';
}

template <class T>
std::int64_t element_bytes(bool narrow) {
  constexpr std::int64_t narrow_bytes = 4, all = sizeof(T);
  return narrow ? std::min(all, narrow_bytes) : all;
}

/// Returns the byte that stands for a character in FITS text: printable ASCII, else '?'.
std::byte byte_of(char c) {
  return static_cast<std::byte>(is_printable(c) ? c : '?');
}

/// Clamps a finite value to the range of float, since the conversion of a value out of range is undefined.
float narrowed(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  return static_cast<float>(std::isfinite(value) ? std::clamp(value, -most, most) : value);
}

std::int32_t narrowed(std::int64_t value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

template <class T>
void store(T value, std::int64_t width, std::byte* out) {
  if constexpr (sizeof(T) == 8) {
    if (width < std::int64_t{sizeof(T)}) return store_big_endian(narrowed(value), out);
  }
  store_big_endian(value, out);
}

/// Stores text in printable ASCII, padded with NUL to `width` bytes.
void store(const std::string& text, std::int64_t width, std::byte* out) {
  if (std::ssize(text) > width)
    throw Error(ErrorKind::internal, "text is longer than its column of a FITS table; please report this");
  std::fill_n(out, width, std::byte{0});
  std::ranges::transform(text, out, byte_of);
}

/// Encodes rows [begin, end) as a FITS file stores them, and writes the bytes to `out`.
void store_rows(const CatalogRows& rows, const std::vector<BinaryForm>& forms, std::int64_t begin, std::int64_t end,
                std::byte* out) {
  const std::int64_t stride = row_bytes(forms);
  auto form = forms.begin();
  for_each_field(rows, [&](const Column&, const auto& values) {
    const std::int64_t width = (form++)->element_bytes;
    for (std::size_t element = 0; element < values.size(); ++element, out += width) {
      std::byte* field = out;
      for (std::int64_t row = begin; row < end; ++row, field += stride)
        store(values.at(static_cast<std::size_t>(row), element), width, field);
    }
  });
}

/// Writes rows of a FITS table, big-endian: row by row, field by field, element by element.
class TableRows final : public RowSink {
 public:
  TableRows(OutputFile& file, std::vector<BinaryForm> forms, std::int64_t count, const Cpu& where)
      : file_(file), forms_(std::move(forms)), count_(count), where_(where) {}

  void write(const CatalogRows& rows) override {
    const std::int64_t stride = row_bytes(forms_), count = rows.count;
    const std::int64_t most =
        std::clamp<std::int64_t>(bytes_at_a_time / std::max<std::int64_t>(stride, 1), 1, rows_at_a_time);
    Buffer<std::byte, Cpu> piece(std::min(count, most) * stride, where_);
    for (std::int64_t first = 0; first < count; first += most) {
      const std::int64_t size = std::min(most, count - first);
      parallel_for(size, chunk_rows, where_, [&](std::int64_t begin, std::int64_t end) {
        store_rows(rows, forms_, first + begin, first + end, piece.data() + begin * stride);
      });
      file_.write({piece.data(), static_cast<std::size_t>(size * stride)});
    }
  }

  void finish() override { fill_record(file_, count_ * row_bytes(forms_)); }

 private:
  OutputFile& file_;
  std::vector<BinaryForm> forms_;
  std::int64_t count_;
  Cpu where_;
};

}  // namespace

std::vector<BinaryForm> binary_forms(const CatalogRows& rows, const IsNarrow& narrow) {
  std::vector<BinaryForm> forms;
  const auto add = [&]<class T>(const FieldValues<T>& values, const CatalogField& field) {
    const bool less = !field.keeps_bits && narrow(field.column, std::is_integral_v<T>);
    BinaryForm form{.letter = type_letter<T>(less), .repeat = std::ssize(values.elements), .tdim = ""};
    if constexpr (std::is_same_v<T, std::string>) {
      form.repeat = form.element_bytes = form.bytes = longest_text(values, rows.count);
    } else {
      form.element_bytes = element_bytes<T>(less);
      form.bytes = form.element_bytes * form.repeat;
    }
    if (values.width > 0)
      form.tdim = "(" + std::to_string(values.width) + "," + std::to_string(values.size() / values.width) + ")";
    forms.push_back(std::move(form));
  };
  for (const CatalogField& field : rows.fields)
    std::visit([&](const auto& values) { add(values, field); }, field.values);
  return forms;
}

std::vector<std::string> fits_names(const CatalogRows& rows) {
  constexpr std::size_t longest = 65;  // leaves 3 of a card's 68 characters for a suffix such as "_2"
  std::vector<std::string> names;
  std::set<std::string> taken;
  for_each_field(rows, [&](const Column& column, const auto&) {
    const std::string begin = printable_ascii(column.name).substr(0, longest);
    std::string name = begin;
    for (int number = 2; !taken.insert(name).second; ++number) name = begin + "_" + std::to_string(number);
    names.push_back(std::move(name));
  });
  return names;
}

std::int64_t row_bytes(const std::vector<BinaryForm>& forms) {
  return std::accumulate(forms.begin(), forms.end(), std::int64_t{0},
                         [](std::int64_t sum, const BinaryForm& form) { return sum + form.bytes; });
}

std::unique_ptr<RowSink> binary_sink(OutputFile& file, std::vector<BinaryForm> forms, std::int64_t count,
                                     const Cpu& where) {
  return std::make_unique<TableRows>(file, std::move(forms), count, where);
}

void require_columns_fit(const CatalogRows& rows) {
  constexpr std::size_t most = 999;
  if (rows.fields.size() <= most) return;
  throw Error(ErrorKind::output, "a FITS table can have " + std::to_string(most) + " columns, but this one has " +
                                     std::to_string(rows.fields.size()) + "; write it as .ecsv or .csv");
}

}  // namespace srcextract
