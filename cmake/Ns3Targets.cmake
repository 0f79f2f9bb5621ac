# SPDX-License-Identifier: GPL-2.0-only
#
# The targets of the `ns3` wheel in NS3_PREFIX, repaired: they name include directories and libraries of the machine
# that built the wheel, none of which a user has (or needs, since the wheel's libraries carry what they depend on).

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
