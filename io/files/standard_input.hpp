#pragma once

namespace srcextract {

/// Path of standard input, used for `-` on the command line.
inline constexpr const char* standard_input_path = "/dev/stdin";

/// Makes standard input a regular file, which can be opened more than once and read at any offset. If standard input is
/// no regular file, it is copied until it ends, to an unnamed file in TMPDIR (or /tmp). Throws Error{input} if standard
/// input is a terminal or a directory, cannot be read, or ends without a byte while it is copied. Throws Error{output}
/// or Error{storage} if the copy cannot be written.
void keep_standard_input();

}  // namespace srcextract
