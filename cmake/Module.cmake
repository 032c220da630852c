# fluxhook_module(<name> [DEPS <module>...] [LIBS <target>...] [TEST_LIBS <target>...])
#
# A module is the static library fluxhook_<name> of src/<name>/*.cc with the public headers
# include/fluxhook/<name>/*.h. Whoever links it sees DEPS too, but not LIBS: no header shows a library.
#
# Its tests, test/<name>/*.cc, become <name>_test, and each TEST_CASE a test of ctest, found when ctest runs.
function(fluxhook_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;LIBS;TEST_LIBS")
  set(target fluxhook_${name})
  list(TRANSFORM arg_DEPS PREPEND fluxhook_)
  file(GLOB sources CONFIGURE_DEPENDS src/${name}/*.cc)
  add_library(${target} STATIC ${sources})
  target_include_directories(${target}
    PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE ${arg_LIBS} fluxhook_options)
  if(BUILD_TESTING)
    fluxhook_module_test(${name} LIBS ${arg_LIBS} ${arg_TEST_LIBS})
  endif()
endfunction()

function(fluxhook_module_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
  file(GLOB sources CONFIGURE_DEPENDS test/${name}/*.cc)
  if(NOT sources)
    return()  # cli's are in Python: test/cli/CMakeLists.txt
  endif()
  add_executable(${name}_test ${sources})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/test)
  target_compile_definitions(${name}_test PRIVATE FLUXHOOK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_test
    PRIVATE fluxhook_${name} Catch2::Catch2WithMain ${arg_LIBS} fluxhook_options)
  # g++ 14 with -O3 takes nlohmann::json's lists of initializers for faults.
  target_compile_options(${name}_test PRIVATE "$<$<CONFIG:Release>:-Wno-array-bounds;-Wno-maybe-uninitialized>")
  catch_discover_tests(${name}_test
    TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST ADD_TAGS_AS_LABELS)
endfunction()
