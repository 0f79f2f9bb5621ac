/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_SETTINGS_H
#define MFTPUBSUB_LIVE_SETTINGS_H

#include "json/fields.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub::live
{

/// Parameters of mft-mesh by the names of scenarios' members (mesh::Options).
struct MeshSettings
{
    double heartbeatSeconds{0.5};
    double heartbeatMaxSeconds{1};
    double forwardSeconds{0.1};
    double settleSeconds{0.5};
    uint32_t copies{2};
    uint32_t redundancy{2};
    bool isScoped{true};
    uint32_t few{2};
    double forgetAfterSeconds{600}; //!< 0: never
};

/// The leader election of protocols on the tree, by the names of scenarios' members.
struct OverlaySettings
{
    double heartbeatSeconds{1};
    double leaderTimeoutSeconds{3};
};

/// Where datagrams go and come from.
struct PortSettings
{
    std::string group{"239.255.77.77"};          //!< IPv4 multicast
    uint16_t port{47777};                        //!< UDP
    std::vector<std::string> interfaces{{"lo"}}; //!< by name; each is sent on and heard on
    double rate{1e6};                            //!< bit/s: a frame takes its bytes by this
    uint8_t hops{1};                             //!< TTL: 1 stays on the links of the interfaces
    uint16_t maxFrameBytes{1400};                //!< of the protocol's frames
};

/// A node that runs on this machine.
struct Settings
{
    uint16_t id{0};
    uint8_t roles{0};                 //!< mesh::Role
    std::string protocol{"mft-mesh"}; //!< one that ships, or is registered, or of hooks
    MeshSettings mesh;
    OverlaySettings overlay;
    std::map<std::string, std::string> parameters; //!< of an own protocol in C++
    std::string network;                           //!< datagrams of other networks are refused
    std::string keyHex;    //!< that all nodes of the network have; empty: none
    std::string store;     //!< file for what outlives the process; empty: none
    std::string trace;     //!< file for what happens; empty: none
    uint32_t inbox{10000}; //!< events that may wait for the application, 2 at least
    PortSettings port;
};

/// What of a frame is not for one event: the mesh's header, STATE, and hints.
inline constexpr size_t AROUND_EVENT = 160;

/// @throws std::invalid_argument for a node that cannot be
void Check(const Settings& settings);

} // namespace mftpubsub::live

namespace mftpubsub
{

template <>
inline constexpr auto FIELDS<live::MeshSettings> =
    MakeFields<live::MeshSettings>(MFTPUBSUB_FIELD(live::MeshSettings, heartbeatSeconds),
                                   MFTPUBSUB_FIELD(live::MeshSettings, heartbeatMaxSeconds),
                                   MFTPUBSUB_FIELD(live::MeshSettings, forwardSeconds),
                                   MFTPUBSUB_FIELD(live::MeshSettings, settleSeconds),
                                   MFTPUBSUB_FIELD(live::MeshSettings, copies),
                                   MFTPUBSUB_FIELD(live::MeshSettings, redundancy),
                                   MFTPUBSUB_FIELD(live::MeshSettings, isScoped),
                                   MFTPUBSUB_FIELD(live::MeshSettings, few),
                                   MFTPUBSUB_FIELD(live::MeshSettings, forgetAfterSeconds));

template <>
inline constexpr auto FIELDS<live::OverlaySettings> =
    MakeFields<live::OverlaySettings>(MFTPUBSUB_FIELD(live::OverlaySettings, heartbeatSeconds),
                                      MFTPUBSUB_FIELD(live::OverlaySettings, leaderTimeoutSeconds));

template <>
inline constexpr auto FIELDS<live::PortSettings> =
    MakeFields<live::PortSettings>(MFTPUBSUB_FIELD(live::PortSettings, group),
                                   MFTPUBSUB_FIELD(live::PortSettings, port),
                                   MFTPUBSUB_FIELD(live::PortSettings, interfaces),
                                   MFTPUBSUB_FIELD(live::PortSettings, rate),
                                   MFTPUBSUB_FIELD(live::PortSettings, hops),
                                   MFTPUBSUB_FIELD(live::PortSettings, maxFrameBytes));

template <>
inline constexpr auto FIELDS<live::Settings> =
    MakeFields<live::Settings>(MFTPUBSUB_FIELD(live::Settings, id),
                               MFTPUBSUB_FIELD(live::Settings, roles),
                               MFTPUBSUB_FIELD(live::Settings, protocol),
                               MFTPUBSUB_FIELD(live::Settings, mesh),
                               MFTPUBSUB_FIELD(live::Settings, overlay),
                               MFTPUBSUB_FIELD(live::Settings, parameters),
                               MFTPUBSUB_FIELD(live::Settings, network),
                               MFTPUBSUB_FIELD(live::Settings, keyHex),
                               MFTPUBSUB_FIELD(live::Settings, store),
                               MFTPUBSUB_FIELD(live::Settings, trace),
                               MFTPUBSUB_FIELD(live::Settings, inbox),
                               MFTPUBSUB_FIELD(live::Settings, port));

} // namespace mftpubsub

#endif /* MFTPUBSUB_LIVE_SETTINGS_H */
