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

# Files that use the same namespace as a whole are together, apart from the others of their folder. A test has a namespace of
# its own, in which it names others.
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
        file(STRINGS "${source}" own REGEX "^namespace mftpubsub::.*_test$" LIMIT_COUNT 1)
        file(STRINGS "${source}" used REGEX "^using namespace" LIMIT_COUNT 1)
        if(own)
            set(used "")
        endif()
        get_filename_component(folder "${source}" DIRECTORY)
        file(RELATIVE_PATH folder "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}")
        string(MAKE_C_IDENTIFIER "${folder} ${used}" room)
        math(EXPR group "${number_${room}} + 0")
        math(EXPR number_${room} "${number_${room}} + 1")
        math(EXPR group "${group} / ${ROOMS_AT_ONCE}")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${room}_${group}")
    endforeach()
    # Each file has a log component of its own (NS_LOG_COMPONENT_DEFINE), though ns-3 calls all of them g_log.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID NAME_OF_THIS_FILE
                                               UNITY_BUILD_CODE_BEFORE_INCLUDE "#undef g_log\n#define g_log NAME_OF_THIS_FILE")
    if(ARGN)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
    # g++ loses track of what it inlines from afar.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endfunction()
