# SPDX-License-Identifier: GPL-2.0-only
#
# The rooms of cpp/, for both builds: the wheel's (cpp/CMakeLists.txt) and ns-3's (cmake/ns3-module.cmake).

# What the protocols decide: no ns-3 header.
set(core_rooms json content session overlay protocols policies stations lab)

# How bits travel: the ns-3 module.
set(module_rooms wsn trace live hosts scenario radios stacks worlds run helper castalia)
