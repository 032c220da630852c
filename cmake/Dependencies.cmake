# The libraries, all from Debian 13 (scripts/setup); why each of them: docs/dependencies.md.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2 REQUIRED)
# Its code is compiled once, in src/cli/cli11.cc: each of twenty files would take 3 s longer.
set_property(TARGET CLI11::CLI11 APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS CLI11_COMPILE)
find_package(spdlog REQUIRED)
find_package(prometheus-cpp REQUIRED COMPONENTS core)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(modpbase64 REQUIRED IMPORTED_TARGET stringencoders)
pkg_check_modules(libyaml REQUIRED IMPORTED_TARGET yaml-0.1)
# 0.41 comes from trixie-backports: trixie's own 0.18.7 lacks a dozen security fixes.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib>=0.41)

# Debian's RapidJSON brings no target. Without RAPIDJSON_SSE2, which reads up to 15 bytes past the end of the buffer.
find_package(RapidJSON REQUIRED)
add_library(RapidJSON INTERFACE IMPORTED)
target_include_directories(RapidJSON SYSTEM INTERFACE ${RAPIDJSON_INCLUDE_DIRS})

if(BUILD_TESTING)
  find_package(Catch2 3 REQUIRED)
  include(Catch)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  pkg_check_modules(czmq REQUIRED IMPORTED_TARGET libczmq)
endif()
