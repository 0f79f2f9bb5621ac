# SPDX-License-Identifier: GPL-2.0-only
#
# Finds ns-3 in the `ns3` wheel of the Python interpreter that builds us.

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

include("${CMAKE_CURRENT_LIST_DIR}/Ns3Targets.cmake")
