/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_FILTER_TYPES_H
#define MFTPUBSUB_CONTENT_FILTER_TYPES_H

#include "content/filter.h"

#include <cstdint>
#include <map>
#include <string>

namespace mftpubsub
{

/// Types that a value may have, as bits. Integers and floats are numbers: they compare with each
/// other.
using TypeSet = uint8_t;

constexpr TypeSet NUMBER_TYPE = 1;
constexpr TypeSet TEXT_TYPE = 2;
constexpr TypeSet BOOLEAN_TYPE = 4;

/// The types that attributes may have, by name. An attribute that is not here may have any type.
using AttributeTypes = std::map<std::string, TypeSet>;

/**
 * Finds a part of a filter that is unknown for every event, since its types are unlike (filter.h):
 * it matches nothing, whatever the values are.
 *
 * @return what is wrong with the first such part; empty if there is none
 */
std::string FindTypeProblem(const Filter& filter, const AttributeTypes& types);

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_FILTER_TYPES_H */
