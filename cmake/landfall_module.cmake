# landfall_module(name LAYER n [DEPS module…] [LIBS library…] [TEST_DEPS module…] [TEST_LIBS library…]
#                 [TEST_LABEL label])
#
# One folder, one library: every *.cc beside the CMakeLists.txt belongs to it, and what a file is for is read off its name:
#
#   x.cc                the library
#   x_test.cc           a test, in the program NAME_test
#   x_threads_test.cc   a test that the tsan preset runs as well (label `threads`), in NAME_threads_test
#   x_fuzz.cc           a libFuzzer target; outside the fuzz preset it replays its seeds from corpus/x/ as a test
#   x_bench.cc          a Google Benchmark program, with LANDFALL_BENCHMARKS
#
# A module may use modules of strictly lower layers only; configuring fails otherwise. The rule holds for its tests too.

set(LANDFALL_CMAKE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# What the tsan and fuzz presets are for, without the rest.
add_custom_target(threads_tests)
add_custom_target(fuzz_targets)

function(landfall_check_layer name layer dep)
  get_property(dep_layer GLOBAL PROPERTY "LANDFALL_LAYER_${dep}")
  if("${dep_layer}" STREQUAL "")
    message(FATAL_ERROR "module ${name} (layer ${layer}) depends on '${dep}', which is not declared before it: "
                        "a module may use only modules of strictly lower layers, listed first in src/CMakeLists.txt")
  endif()
  if(NOT dep_layer LESS layer)
    message(FATAL_ERROR "module ${name} (layer ${layer}) depends on ${dep} (layer ${dep_layer}): "
                        "a module may use only modules of strictly lower layers")
  endif()
endfunction()

function(landfall_module name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "LAYER;TEST_LABEL" "DEPS;LIBS;TEST_DEPS;TEST_LIBS")
  if(M_UNPARSED_ARGUMENTS OR NOT DEFINED M_LAYER)
    message(FATAL_ERROR "landfall_module(${name} …): needs LAYER n; did not understand '${M_UNPARSED_ARGUMENTS}'")
  endif()
  foreach(dep IN LISTS M_DEPS M_TEST_DEPS)
    landfall_check_layer(${name} ${M_LAYER} ${dep})
  endforeach()
  set_property(GLOBAL PROPERTY "LANDFALL_LAYER_${name}" ${M_LAYER})

  file(GLOB sources CONFIGURE_DEPENDS "*.cc")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(thread_tests ${tests})
  list(FILTER thread_tests INCLUDE REGEX "_threads_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_threads_test\\.cc$")
  set(fuzzers ${sources})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  set(benchmarks ${sources})
  list(FILTER benchmarks INCLUDE REGEX "_bench\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cc$")

  list(TRANSFORM M_DEPS PREPEND "landfall_")
  list(TRANSFORM M_TEST_DEPS PREPEND "landfall_")
  if(sources)
    add_library(landfall_${name} STATIC ${sources})
    target_link_libraries(landfall_${name} PUBLIC landfall_flags ${M_DEPS} ${M_LIBS})
  else()
    add_library(landfall_${name} INTERFACE)
    target_link_libraries(landfall_${name} INTERFACE landfall_flags ${M_DEPS} ${M_LIBS})
  endif()

  set(with landfall_${name} ${M_TEST_DEPS} ${M_TEST_LIBS})
  if(LANDFALL_TESTS AND NOT LANDFALL_FUZZ)
    landfall_test_program(${name}_test "${M_TEST_LABEL}" "${tests}" ${with})
    landfall_test_program(${name}_threads_test "threads" "${thread_tests}" ${with})
  endif()
  if(LANDFALL_TESTS)
    foreach(source IN LISTS fuzzers)
      landfall_fuzz_target(${source} ${with})
    endforeach()
  endif()
  if(LANDFALL_BENCHMARKS)
    foreach(source IN LISTS benchmarks)
      landfall_benchmark(${source} ${with})
    endforeach()
  endif()
endfunction()

# landfall_program(name LAYER n [DEPS module…]): an executable from name.cc beside the CMakeLists.txt.
function(landfall_program name)
  cmake_parse_arguments(PARSE_ARGV 1 M "" "LAYER" "DEPS")
  foreach(dep IN LISTS M_DEPS)
    landfall_check_layer(${name} ${M_LAYER} ${dep})
  endforeach()
  list(TRANSFORM M_DEPS PREPEND "landfall_")
  add_executable(${name} ${name}.cc)
  target_link_libraries(${name} PRIVATE landfall_flags ${M_DEPS})
endfunction()

# Tests are most of what there is to compile, and their time goes into the same few headers: those are compiled once. What is
# tested is compiled as its preset says; tests themselves are neither optimised nor watched by UBSan, which halves their time.
function(landfall_test_headers)
  if(TARGET landfall_test_headers)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_library(landfall_test_flags INTERFACE)
  target_compile_options(landfall_test_flags INTERFACE -O0 -fpch-preprocess) # the latter for ccache
  if(LANDFALL_SANITIZE MATCHES "undefined")
    target_compile_options(landfall_test_flags INTERFACE -fno-sanitize=undefined)
  endif()
  add_library(landfall_test_headers OBJECT "${LANDFALL_CMAKE_DIR}/test_headers.cc")
  target_link_libraries(landfall_test_headers PRIVATE landfall_flags GTest::gmock_main landfall_test_flags)
  # Nothing that looks for a macro which only some of the tests are compiled with (fmt's FMT_SHARED).
  target_precompile_headers(landfall_test_headers PRIVATE
    <gmock/gmock.h> <gtest/gtest.h> <rapidcheck/gtest.h> <nlohmann/json.hpp> <chrono> <filesystem> <thread>)
endfunction()

function(landfall_test_program program label sources)
  if(NOT sources)
    return()
  endif()
  landfall_test_headers()
  find_package(GTest REQUIRED)
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE ${ARGN} rapidcheck GTest::gmock_main landfall_test_flags)
  target_precompile_headers(${program} REUSE_FROM landfall_test_headers)
  target_include_directories(${program} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
  # Only where it is used: a path on the command line keeps a file from being found in the cache of another checkout.
  file(GLOB headers CONFIGURE_DEPENDS "*.h")
  foreach(file IN LISTS sources headers)
    file(STRINGS ${file} uses REGEX "LANDFALL_SOURCE_DIR")
    if(uses AND file MATCHES "\\.h$")
      target_compile_definitions(${program} PRIVATE LANDFALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    elseif(uses)
      set_property(SOURCE ${file} PROPERTY COMPILE_DEFINITIONS LANDFALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    endif()
  endforeach()
  include(GoogleTest)
  if(label STREQUAL "threads")
    add_dependencies(threads_tests ${program})
  endif()
  gtest_discover_tests(${program} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS "${label}")
endfunction()

function(landfall_fuzz_target source)
  get_filename_component(program ${source} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" subject ${program})
  add_executable(${program} ${source})
  target_link_libraries(${program} PRIVATE ${ARGN})
  add_dependencies(fuzz_targets ${program})
  set(corpus "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${subject}")
  if(NOT IS_DIRECTORY "${corpus}")
    message(FATAL_ERROR "${source}: needs seeds in ${corpus}")
  endif()
  if(LANDFALL_FUZZ)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    # The seeds are read, finds are written to the build: a run must not change the checkout. It is the same on every
    # machine, so that a failure can be run again; configured with LANDFALL_FUZZ_SECONDS it is a campaign that goes on
    # from what the last one found.
    set(found "${CMAKE_BINARY_DIR}/found/${subject}")
    file(MAKE_DIRECTORY "${found}")
    if(DEFINED ENV{LANDFALL_FUZZ_SECONDS})
      set(fresh :)
      set(extent -max_total_time=$ENV{LANDFALL_FUZZ_SECONDS})
    else()
      set(fresh "rm -rf found && mkdir found")
      set(extent "-seed=1 -runs=50000 -max_total_time=60")
      set(found "${found}/found")
    endif()
    add_test(NAME fuzz.${subject}
             COMMAND sh -c "${fresh} && exec $<TARGET_FILE:${program}> ${extent} -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 '${found}' '${corpus}'"
             WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/found/${subject}")
  else()
    target_sources(${program} PRIVATE "${LANDFALL_CMAKE_DIR}/fuzz_replay_main.cc")
    add_test(NAME fuzz_seeds.${subject} COMMAND ${program} "${corpus}")
  endif()
endfunction()

function(landfall_benchmark source)
  find_package(benchmark REQUIRED)
  get_filename_component(program ${source} NAME_WE)
  add_executable(${program} ${source})
  target_link_libraries(${program} PRIVATE ${ARGN} benchmark::benchmark_main)
  target_include_directories(${program} PRIVATE "${CMAKE_SOURCE_DIR}/tests")
endfunction()
