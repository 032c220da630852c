# fluxhook_python_test(<name> <file> [TIMEOUT <seconds>] [ENVIRONMENT <variable=value>...])
#
# A test of ctest that is a Python script beside the CMakeLists.txt which names it.
function(fluxhook_python_test name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TIMEOUT" "ENVIRONMENT")
  add_test(NAME "${name}" COMMAND Python3::Interpreter -B ${file} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_TIMEOUT)
    set_tests_properties("${name}" PROPERTIES TIMEOUT ${arg_TIMEOUT})
  endif()
  if(arg_ENVIRONMENT)
    set_tests_properties("${name}" PROPERTIES ENVIRONMENT "${arg_ENVIRONMENT}")
  endif()
endfunction()
