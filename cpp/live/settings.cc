/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/settings.h"

#include "content/node-id.h"
#include "protocols/mesh/station.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace mftpubsub::live
{

void
Check(const Settings& settings)
{
    constexpr uint8_t ALL = mesh::BROKER | mesh::SUBSCRIBER | mesh::PUBLISHER;
    if (settings.id == NO_NODE)
    {
        throw std::invalid_argument("id 65535 stands for no node: ids are 0 to 65534");
    }
    if (settings.roles == 0 || (settings.roles & ~ALL) != 0)
    {
        throw std::invalid_argument("a node is a broker, a subscriber, a publisher, or several");
    }
    if (settings.inbox < 2)
    {
        throw std::invalid_argument("inbox: " + std::to_string(settings.inbox) +
                                    "; one event is the application's, and newer ones wait: 2 at "
                                    "least");
    }
    for (const auto& [key, seconds] :
         {std::pair("mesh.heartbeatSeconds", settings.mesh.heartbeatSeconds),
          std::pair("mesh.heartbeatMaxSeconds", settings.mesh.heartbeatMaxSeconds),
          std::pair("overlay.heartbeatSeconds", settings.overlay.heartbeatSeconds),
          std::pair("overlay.leaderTimeoutSeconds", settings.overlay.leaderTimeoutSeconds)})
    {
        if (!(seconds > 0))
        {
            throw std::invalid_argument(std::string(key) + ": " + std::to_string(seconds) +
                                        "; a time between signs of life is more than 0 s");
        }
    }
    if (!(settings.port.rate > 0))
    {
        throw std::invalid_argument("port.rate: a rate is more than 0 bit/s");
    }
    if (settings.port.maxFrameBytes < AROUND_EVENT + 40)
    {
        throw std::invalid_argument("port.maxFrameBytes: frames need 200 bytes");
    }
}

} // namespace mftpubsub::live
