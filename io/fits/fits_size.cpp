#include "io/fits/fits_size.hpp"

#include <string_view>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/fits/hdu_structure.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Finds the HDUs of a file in order while the file is being inflated.
class HduWalk {
 public:
  HduWalk(std::string path, std::int64_t most) : path_(std::move(path)), most_(most) {}

  std::int64_t operator()(std::span<const std::byte> bytes) {
    const std::int64_t needed = find_end(bytes);
    // Compares the end of the known HDUs, not `needed`, with the limit: `needed` can include the first record of a
    // further HDU, which need not exist.
    if (begin_ <= most_) return needed;
    throw Error(ErrorKind::memory,
                path_ + ": inflated, the file has " + std::to_string(begin_) +
                    " bytes or more by what its headers say, and " + std::to_string(most_) +
                    " is the most for one file; gunzip it first, or run with more memory (--memory)");
  }

 private:
  std::int64_t find_end(std::span<const std::byte> bytes) {
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (;;) {
      if (std::ssize(all) - begin_ < fits_record) return begin_ + fits_record;
      const std::string_view text = all.substr(static_cast<std::size_t>(begin_), longest_header);
      if (!begins_as_hdu(text, begin_ == 0)) return 0;
      const std::optional<std::string_view> cards = cards_to_end(text);
      if (!cards && std::ssize(text) == longest_header) return 0;
      if (!cards) return begin_ + 2 * std::ssize(text);
      const std::optional<std::int64_t> data = data_bytes(*cards);
      if (!data) return 0;
      begin_ += in_records(std::ssize(*cards)) + in_records(*data);
    }
  }

  std::optional<std::int64_t> data_bytes(std::string_view cards) const {
    try {
      return read_structure(Header(cards), begin_ == 0, "").data_bytes;
    } catch (const Error&) {  // ignored here, since FitsReader will report the same error
      return std::nullopt;
    }
  }

  std::string path_;
  std::int64_t most_;
  std::int64_t begin_ = 0;
};

}  // namespace

SizeNeeded fits_size_needed(std::string path, std::int64_t most) {
  return HduWalk(std::move(path), most);
}

}  // namespace srcextract
