# For CMake as scripts/wheel.sh calls it with SRCEXTRACT_CROSS=aarch64; CC and CXX name Debian's cross compilers.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
# Its C library, as Debian lays it.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
