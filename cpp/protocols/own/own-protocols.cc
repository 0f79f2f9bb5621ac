/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/own/own-protocols.h"

#include <stdexcept>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

std::map<std::string, StationMaker, std::less<>>&
GetRegistered()
{
    static std::map<std::string, StationMaker, std::less<>> registered;
    return registered;
}

} // namespace

void
RegisterProtocol(const std::string& name, StationMaker maker)
{
    if (!GetRegistered().emplace(name, std::move(maker)).second)
    {
        throw std::invalid_argument("there is a protocol '" + name + "' already");
    }
}

const StationMaker*
FindProtocol(std::string_view name)
{
    const auto found = GetRegistered().find(name);
    return found == GetRegistered().end() ? nullptr : &found->second;
}

} // namespace mftpubsub::mesh
