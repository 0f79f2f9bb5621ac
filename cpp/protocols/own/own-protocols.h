/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Protocols that do not ship: by the names under which their code has registered them.
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_OWN_PROTOCOLS_H
#define MFTPUBSUB_PROTOCOLS_OWN_OWN_PROTOCOLS_H

#include "protocols/mesh/station.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mftpubsub::mesh
{

using StationMaker = std::function<std::unique_ptr<Station>(StationSeat)>;

/**
 * Makes a protocol known for as long as the process lives, instead of one that had this name. Its
 * code must stay loaded.
 */
void RegisterProtocol(const std::string& name, StationMaker maker);

template <typename Made>
std::unique_ptr<Station>
MakeOwn(StationSeat seat)
{
    return std::make_unique<Made>(std::move(seat));
}

/// The same for stations of a class: `const bool REGISTERED = Register<Flood>("flood");`
template <typename Made>
bool
Register(const std::string& name)
{
    RegisterProtocol(name, &MakeOwn<Made>);
    return true;
}

/**
 * Calls a protocol @p to from now on, as another version of its code may follow by the same name.
 *
 * @throws std::invalid_argument if there is no protocol @p from
 */
void RenameProtocol(const std::string& from, const std::string& to);

/// @return the maker of a registered protocol, nullptr if there is none of that name
const StationMaker* FindProtocol(std::string_view name);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_OWN_OWN_PROTOCOLS_H */
