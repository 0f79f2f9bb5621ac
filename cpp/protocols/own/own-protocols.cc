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
    GetRegistered().insert_or_assign(name, std::move(maker));
}

void
RenameProtocol(const std::string& from, const std::string& to)
{
    auto entry = GetRegistered().extract(from);
    if (!entry)
    {
        throw std::invalid_argument("no protocol '" + from + "' is registered");
    }
    entry.key() = to;
    GetRegistered().insert(std::move(entry));
}

const StationMaker*
FindProtocol(std::string_view name)
{
    const auto found = GetRegistered().find(name);
    return found == GetRegistered().end() ? nullptr : &found->second;
}

} // namespace mftpubsub::mesh
