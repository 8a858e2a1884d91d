#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// 64-bit FNV-1a (Fowler, Noll and Vo; RFC 9923). Not safe against adversaries.
std::uint64_t name_hash(std::string_view text);

/// 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t number);

}  // namespace srcextract
