# SPDX-License-Identifier: GPL-2.0-only
#
# find_package(mftpubsub) for the installed wheel: the target mftpubsub::mftpubsub, with our headers and library and
# those of the ns-3 that the wheel was built with, as ns3::core, ns3::network, ...
#
#     cmake -S . -B build -Dmftpubsub_DIR="$(mftpubsub cmake-dir)"

get_filename_component(mftpubsub_package "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
get_filename_component(NS3_PREFIX "${mftpubsub_package}/../ns3" ABSOLUTE)
if(NOT EXISTS "${NS3_PREFIX}/include/ns3")
    set(mftpubsub_FOUND FALSE)
    set(mftpubsub_NOT_FOUND_MESSAGE "the ns3 wheel, which mftpubsub is linked with, is not at ${NS3_PREFIX}")
    return()
endif()
if(NOT TARGET ns3::core)
    include("${CMAKE_CURRENT_LIST_DIR}/Ns3Targets.cmake")
endif()

if(NOT TARGET mftpubsub::mftpubsub)
    add_library(mftpubsub::mftpubsub SHARED IMPORTED)
    set_target_properties(mftpubsub::mftpubsub PROPERTIES IMPORTED_LOCATION "${mftpubsub_package}/libmftpubsub.so"
                                                          INTERFACE_INCLUDE_DIRECTORIES "${mftpubsub_package}/include")
    target_compile_features(mftpubsub::mftpubsub INTERFACE cxx_std_20)
    target_link_libraries(
        mftpubsub::mftpubsub
        INTERFACE ns3::core ns3::network ns3::mobility ns3::internet ns3::aodv ns3::olsr ns3::dsdv
                  ns3::wifi ns3::lr-wpan ns3::spectrum ns3::propagation ns3::energy ns3::csma)
endif()
