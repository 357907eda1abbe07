# How everything is compiled: the language, the warnings, the sanitizers that a preset asks for.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

set(LANDFALL_SANITIZE "" CACHE STRING "Sanitizers for the whole build, as -fsanitize= takes them")
option(LANDFALL_FUZZ "Build the fuzz targets with libFuzzer (clang only)" OFF)
option(LANDFALL_COVERAGE "Record which lines the tests reach" OFF)
option(LANDFALL_TESTS "Build the tests" ON)
option(LANDFALL_BENCHMARKS "Build the benchmarks" OFF)

add_library(landfall_flags INTERFACE)
target_include_directories(landfall_flags INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_compile_options(landfall_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wundef -Werror
  -Wno-missing-field-initializers # members that a designated initializer leaves out have their default
  -fno-omit-frame-pointer -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
# What users run is hardened; sanitizers do that job, and more, elsewhere.
target_compile_options(landfall_flags INTERFACE "$<$<CONFIG:Release>:-D_FORTIFY_SOURCE=2;-fstack-protector-strong;-fPIE>"
  "$<$<CONFIG:Release>:-Wno-restrict>") # g++ 12 sees overlaps in std::string that are not there once it optimises
target_link_options(landfall_flags INTERFACE "$<$<CONFIG:Release>:-pie;-Wl,-z,relro,-z,now>")
find_package(Threads REQUIRED)
target_link_libraries(landfall_flags INTERFACE Threads::Threads)

if(LANDFALL_SANITIZE)
  target_compile_options(landfall_flags INTERFACE -fsanitize=${LANDFALL_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(landfall_flags INTERFACE -fsanitize=${LANDFALL_SANITIZE})
endif()
if(LANDFALL_FUZZ)
  # clang objects to what libstdc++ itself calls in std::stable_sort.
  target_compile_options(landfall_flags INTERFACE -Wno-deprecated-declarations)
  target_compile_options(landfall_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(LANDFALL_COVERAGE)
  target_compile_options(landfall_flags INTERFACE --coverage)
  target_link_options(landfall_flags INTERFACE --coverage)
endif()

# mold links in a fraction of the time of the default linker, and ccache makes a second checkout nearly free.
find_program(LANDFALL_MOLD mold)
if(LANDFALL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
find_program(LANDFALL_CCACHE ccache)
if(LANDFALL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${LANDFALL_CCACHE}")
endif()
