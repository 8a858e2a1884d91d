#include "survey/merge/packed_headers.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

namespace srcextract {
namespace {

/// Reads a value whose type is this alternative of the variant KeywordValue.
KeywordValue read_value(std::uint64_t alternative, PackedBytes::Reader& in) {
  switch (alternative) {
    case 0:
      return in.get<bool>();
    case 1:
      return in.get<std::int64_t>();
    case 2:
      return in.get<double>();
    default:
      return std::string(in.shared());
  }
}

}  // namespace

PackedHeaders::PackedHeaders(const std::vector<ImageHeader>& headers) {
  for (const ImageHeader& header : headers) add(header);
}

void PackedHeaders::add(const ImageHeader& header) {
  PackedBytes::Writer out(bytes_);
  out.number(header.size());
  for (const auto& [keyword, value] : header) {
    out.shared(keyword);
    out.number(value.index());
    std::visit(
        [&]<class T>(const T& held) {
          if constexpr (std::is_same_v<T, std::string>) {
            out.shared(held);
          } else {
            out.put(held);
          }
        },
        value);
  }
  places_.push_back(bytes_.add(out));
}

ImageHeader PackedHeaders::operator[](std::size_t i) const {
  PackedBytes::Reader in(bytes_, places_[i]);
  ImageHeader header(in.number());
  for (auto& [keyword, value] : header) {
    keyword = in.shared();
    value = read_value(in.number(), in);
  }
  return header;
}

}  // namespace srcextract
