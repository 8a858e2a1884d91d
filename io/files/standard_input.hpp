#pragma once

namespace srcextract {

/// The path of standard input, which `-` on the command line stands for.
inline constexpr const char* standard_input_path = "/dev/stdin";

/// Makes standard input a file, which can be opened more than once and read anywhere. A regular file stays as it is.
/// Anything else is copied until it ends, to an unnamed file in TMPDIR (or /tmp) that vanishes with the process. Throws
/// Error{input} if standard input is a terminal, is empty or cannot be read; Error{output} or Error{storage} if the
/// copy has no room.
void keep_standard_input();

}  // namespace srcextract
