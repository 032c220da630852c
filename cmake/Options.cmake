# How everything is compiled: the language, warnings, sanitizers, ccache. The target fluxhook_options
# carries the flags, and each of our own targets links it.

option(FLUXHOOK_WERROR "Warnings are errors" ON)
option(FLUXHOOK_BENCH "Build the benchmarks in bench/ (needs Google Benchmark)" OFF)
option(FLUXHOOK_FUZZ "Build the libFuzzer targets in test/fuzz/ (needs clang)" OFF)
option(FLUXHOOK_COVERAGE "Count lines and branches for gcov" OFF)
option(FLUXHOOK_UNITY "Compile eight files at a time: a cold build takes a quarter of the time" ON)
set(FLUXHOOK_SANITIZE "" CACHE STRING "Value for -fsanitize=, such as address,undefined or thread")

set(CMAKE_UNITY_BUILD ${FLUXHOOK_UNITY})
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)  # there are no C++ modules, and the scan costs a third of a build
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

string(REGEX MATCH "^(x86_64|amd64|AMD64|i[3-6]86)$" FLUXHOOK_X86 "${CMAKE_SYSTEM_PROCESSOR}")
string(REGEX MATCH "^(aarch64|arm64)$" FLUXHOOK_ARM64 "${CMAKE_SYSTEM_PROCESSOR}")
add_library(fluxhook_options INTERFACE)
target_compile_options(fluxhook_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Wundef
  -Wno-missing-field-initializers  # a designated initializer names what differs from the default
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
  $<$<BOOL:${FLUXHOOK_WERROR}>:-Werror>
  # Hardening, as Debian's dpkg-buildflags has it and further; packaging/hardened looks for it in the program.
  -fstack-protector-strong -fstack-clash-protection
  $<$<BOOL:${FLUXHOOK_X86}>:-fcf-protection=full> $<$<BOOL:${FLUXHOOK_ARM64}>:-mbranch-protection=standard>
  $<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS>)
target_link_options(fluxhook_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code)

if(FLUXHOOK_SANITIZE)
  # A finding ends the program, so that a test can't pass over it. GCC's own warning of what may be uninitialized is wrong
  # in instrumented code (its manual, -fsanitize): the other builds have it. Not optimized, and of debug information the
  # lines alone: with -O1 -g the compiler takes 2.6 times as long.
  target_compile_options(fluxhook_options INTERFACE
    -fsanitize=${FLUXHOOK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(fluxhook_options INTERFACE -fsanitize=${FLUXHOOK_SANITIZE})
  if(FLUXHOOK_SANITIZE MATCHES undefined)
    # at a fixed address: the 4.6 million addresses in its tables would be relocated at each start, which takes 0.2 s
    target_link_options(fluxhook_options INTERFACE -no-pie)
  endif()
endif()
if(FLUXHOOK_FUZZ)
  target_compile_options(fluxhook_options INTERFACE
    -fsanitize=fuzzer-no-link -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/test/fuzz/ignore.txt)
endif()
if(FLUXHOOK_COVERAGE)
  target_compile_options(fluxhook_options INTERFACE --coverage -fprofile-abs-path)
  target_link_options(fluxhook_options INTERFACE --coverage)
endif()

# One cache for all build folders of a checkout: paths below it are hashed as relative ones.
find_program(FLUXHOOK_CCACHE ccache)
if(FLUXHOOK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_DIR=${PROJECT_SOURCE_DIR}/build/.ccache
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${FLUXHOOK_CCACHE})
endif()
