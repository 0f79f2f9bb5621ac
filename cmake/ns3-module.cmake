# SPDX-License-Identifier: GPL-2.0-only
#
# This repository as contrib/mftpubsub of a tree of ns-3's: the same files, by ns-3's own functions.

include("${CMAKE_CURRENT_LIST_DIR}/Rooms.cmake")
set(cpp "${CMAKE_CURRENT_SOURCE_DIR}/cpp")

set(source_patterns ${core_rooms} ${module_rooms})
list(TRANSFORM source_patterns PREPEND "${cpp}/")
list(TRANSFORM source_patterns APPEND "/*.cc")
file(GLOB_RECURSE source_files CONFIGURE_DEPENDS ${source_patterns})
file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS "${cpp}/*.h")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(source_hash "${CMAKE_CURRENT_BINARY_DIR}/source-hash.cc")
set(hashing "${CMAKE_CURRENT_LIST_DIR}/source_hash.py")
add_custom_command(
    OUTPUT "${source_hash}"
    COMMAND "${Python3_EXECUTABLE}" "${hashing}" "${cpp}" "${NS3_VER}" "${source_hash}"
    DEPENDS ${source_files} ${all_headers} "${hashing}"
    VERBATIM)

file(GLOB test_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/*-test.cc"
     "${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp/search-*.cc")
set_source_files_properties(
    ${test_sources} PROPERTIES COMPILE_DEFINITIONS "MFTPUBSUB_GOLDEN=\"${CMAKE_CURRENT_SOURCE_DIR}/tests/golden\"")
# What keeps loops from becoming vectors, and nobody reads: errno and the flags of floating-point exceptions.
set_source_files_properties("${cpp}/wsn/shadowing.cc" PROPERTIES COMPILE_OPTIONS "-fno-math-errno;-fno-trapping-math")

# HEADER_FILES stand alone: they go into ns3/mftpubsub-module.h, which ns-3's Python bindings read with those of all
# modules. The others are ns3/NAME.h too, and include what they need by its room.
build_lib(
  LIBNAME mftpubsub
  SOURCE_FILES ${source_files} ${source_hash}
  HEADER_FILES cpp/helper/pubsub-helper.h
  PRIVATE_HEADER_FILES cpp/wsn/wsn-helper.h
  LIBRARIES_TO_LINK ${mftpubsub_libraries}
  TEST_SOURCES ${test_sources}
)

# Sources, and whoever links the module, name headers by their rooms.
target_include_directories(mftpubsub PUBLIC $<BUILD_INTERFACE:${cpp}> $<INSTALL_INTERFACE:include/mftpubsub>)
install(DIRECTORY "${cpp}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mftpubsub" FILES_MATCHING PATTERN "*.h")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlaps in std::string that are not there (GCC bug 105651)
    target_compile_options(mftpubsub PRIVATE -Wno-restrict)
endif()

# ns-3 looks for examples beside the module's CMakeLists.txt; ours are in cpp/examples.
if(ENABLE_EXAMPLES)
    add_subdirectory(cpp/examples)
endif()
