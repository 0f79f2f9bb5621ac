# SPDX-License-Identifier: GPL-2.0-only
#
# Compiles up to sixteen source files of a folder as one: templates and headers are then worked on once. What many files
# include is precompiled. A build from nothing takes less than half the time. A compiler cache knows single files, so that
# with one of these all are compiled alone.
if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(together OFF)
else()
    set(together ON)
endif()
option(MFTPUBSUB_TOGETHER "Compile source files of a folder together" ${together})
set(ROOMS_AT_ONCE 16)
set(often_included <algorithm> <cmath> <deque> <functional> <map> <memory> <optional> <ranges> <set> <span> <string> <unordered_map>
                   <variant> <vector>)

# Files that name a whole namespace, or a log component of ns-3, stay alone: these names are for one file. A test has a
# namespace of its own, in which it names others.
# The headers behind the target, if any, are precompiled for it.
function(compile_rooms_together target)
    if(NOT MFTPUBSUB_TOGETHER)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        get_filename_component(source "${source}" ABSOLUTE)
        if(NOT EXISTS "${source}")
            continue() # made by the build
        endif()
        file(STRINGS "${source}" own REGEX "^using namespace|^NS_LOG_COMPONENT_DEFINE|^namespace mftpubsub::.*_test$"
             LIMIT_COUNT 1)
        get_filename_component(folder "${source}" DIRECTORY)
        file(RELATIVE_PATH folder "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}")
        if(own AND NOT own MATCHES "^namespace")
            set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
            continue()
        endif()
        string(MAKE_C_IDENTIFIER "${folder}" room)
        math(EXPR group "${number_${room}} + 0")
        math(EXPR number_${room} "${number_${room}} + 1")
        math(EXPR group "${group} / ${ROOMS_AT_ONCE}")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}_${group}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    if(ARGN)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
    # g++ loses track of what it inlines from afar.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()
