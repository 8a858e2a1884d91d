#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// FNV-1a of 64 bits (Fowler, Noll and Vo; RFC 9923): it tells texts apart, not adversaries.
std::uint64_t name_hash(std::string_view text);

/// 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t number);

}  // namespace srcextract
