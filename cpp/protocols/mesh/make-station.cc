/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/make-station.h"

#include "protocols/mesh/epidemic.h"
#include "protocols/mesh/mesh-station.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

std::unique_ptr<Station>
MakeMftMesh(StationSeat seat, const StationOptions& options)
{
    return std::make_unique<MeshStation>(seat.self,
                                         seat.roles,
                                         seat.options,
                                         std::move(seat.uniform),
                                         options.policies,
                                         std::move(seat.memory),
                                         std::move(seat.position));
}

std::unique_ptr<Station>
MakeMpl(StationSeat seat, const StationOptions& options)
{
    return std::make_unique<Mpl>(seat.self,
                                 seat.roles,
                                 seat.options,
                                 options.mpl,
                                 std::move(seat.uniform),
                                 std::move(seat.memory));
}

std::unique_ptr<Station>
MakeEpidemic(StationSeat seat, const StationOptions& options)
{
    return std::make_unique<Epidemic>(seat.self,
                                      seat.roles,
                                      seat.options,
                                      options.epidemicInterval,
                                      std::move(seat.uniform),
                                      std::move(seat.memory));
}

struct Shipped
{
    std::string name;
    std::unique_ptr<Station> (*make)(StationSeat seat, const StationOptions& options);
};

const std::vector<Shipped>&
GetShipped()
{
    static const std::vector<Shipped> SHIPPED{
        {"mft-mesh", MakeMftMesh},
        {"mpl", MakeMpl},
        {"epidemic", MakeEpidemic},
    };
    return SHIPPED;
}

} // namespace

const std::vector<std::string>&
GetStationProtocols()
{
    static const auto NAMES = [] {
        std::vector<std::string> names;
        for (const auto& shipped : GetShipped())
        {
            names.push_back(shipped.name);
        }
        return names;
    }();
    return NAMES;
}

bool
IsStationProtocol(std::string_view protocol)
{
    return std::ranges::count(GetStationProtocols(), protocol) > 0;
}

std::unique_ptr<Station>
MakeStation(std::string_view protocol, StationSeat seat, const StationOptions& options)
{
    const auto found = std::ranges::find(GetShipped(), protocol, &Shipped::name);
    if (found == GetShipped().end())
    {
        throw std::invalid_argument("no protocol '" + std::string(protocol) +
                                    "' for a broadcast channel");
    }
    return found->make(std::move(seat), options);
}

} // namespace mftpubsub::mesh
