# gRPC and Protocol Buffers: what to link, and how .proto files become part of a library.
#
# They are linked statically, because `landfall version` must not wait until thirty libraries are loaded. Where TSan watches they are
# shared, for shorter links: what uses them is not run there.

find_package(PkgConfig REQUIRED)
pkg_check_modules(LANDFALL_GRPC REQUIRED grpc++_unsecure protobuf)
find_program(LANDFALL_PROTOC protoc REQUIRED)
find_program(LANDFALL_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

add_library(landfall_grpc INTERFACE)
if(LANDFALL_SANITIZE MATCHES "thread")
  target_link_libraries(landfall_grpc INTERFACE grpc++_unsecure grpc_unsecure gpr protobuf absl_synchronization)
else()
  # Debian's grpc++_unsecure.pc does not name all that it needs.
  set(libraries ${LANDFALL_GRPC_STATIC_LIBRARIES} upb address_sorting cares re2)
  list(REVERSE libraries) # of what is named twice the last counts
  list(REMOVE_DUPLICATES libraries)
  list(REVERSE libraries)
  set(archives)
  foreach(library IN LISTS libraries)
    # What others link too stays shared: one copy of it in a process.
    find_library(LANDFALL_ARCHIVE_${library} NAMES lib${library}.a NO_CACHE)
    if(library MATCHES "^(re2|z|ssl|crypto)$" OR NOT LANDFALL_ARCHIVE_${library})
      list(APPEND archives ${library})
    else()
      list(APPEND archives "${LANDFALL_ARCHIVE_${library}}")
    endif()
  endforeach()
  target_link_libraries(landfall_grpc INTERFACE -Wl,--start-group ${archives} -Wl,--end-group)
endif()

# landfall_protos(target root file…): the messages and services of these files (relative to root) as part of a library, their headers
# for whoever links it ("velero/shared.pb.h"). Nothing is warned of in code that nobody wrote.
function(landfall_protos target root)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${out}")
  set(sources)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" "" base "${proto}")
    set(made "${out}/${base}.pb.cc" "${out}/${base}.grpc.pb.cc")
    add_custom_command(
      OUTPUT ${made} "${out}/${base}.pb.h" "${out}/${base}.grpc.pb.h"
      COMMAND ${LANDFALL_PROTOC} -I "${root}" --cpp_out=${out} --grpc_out=${out}
              --plugin=protoc-gen-grpc=${LANDFALL_GRPC_PLUGIN} "${proto}"
      DEPENDS "${root}/${proto}"
      COMMENT "protoc ${proto}"
      VERBATIM)
    list(APPEND sources ${made})
  endforeach()
  target_sources(${target} PRIVATE ${sources})
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "-w" SKIP_LINTING ON)
  target_include_directories(${target} SYSTEM PUBLIC "${out}")
  target_link_libraries(${target} PUBLIC landfall_grpc)
endfunction()
