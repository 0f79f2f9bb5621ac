# SPDX-License-Identifier: GPL-2.0-only
#
# Finds ns-3 in the `ns3` wheel of the Python interpreter that builds us, and repairs its exported
# targets: they name include directories and libraries of the machine that built the wheel, none
# of which a user has (or needs, since the wheel's libraries carry what they depend on).

find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
            "import importlib.util as u; s = u.find_spec('ns3'); print(list(s.submodule_search_locations)[0] if s else '')"
    OUTPUT_VARIABLE NS3_PREFIX
    OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT NS3_PREFIX)
    message(FATAL_ERROR "The ns3 wheel is not installed for ${Python3_EXECUTABLE}: pip install ns3")
endif()

execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c "from importlib.metadata import version; print(version('ns3'))"
    OUTPUT_VARIABLE NS3_VERSION
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

find_package(ns3 REQUIRED CONFIG HINTS "${NS3_PREFIX}/lib64/cmake/ns3" NO_DEFAULT_PATH)

get_directory_property(ns3_targets IMPORTED_TARGETS)
foreach(target IN LISTS ns3_targets)
    if(NOT target MATCHES "^ns3::")
        continue()
    endif()
    set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${NS3_PREFIX}/include"
                                               INTERFACE_SYSTEM_INCLUDE_DIRECTORIES
                                               "${NS3_PREFIX}/include")
    get_target_property(items ${target} INTERFACE_LINK_LIBRARIES)
    if(items)
        list(FILTER items EXCLUDE REGEX "^/")
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${items}")
    endif()
endforeach()
