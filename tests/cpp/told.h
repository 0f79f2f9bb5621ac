/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TESTS_TOLD_H
#define MFTPUBSUB_TESTS_TOLD_H

#include "hosts/radio-host.h"

#include "ns3/config.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub
{

/// What the trace sources of all hosts have told.
struct Told
{
    using Sequences = std::vector<uint32_t>;

    /// After the hosts have been made.
    Told()
    {
        const auto connect = [](const std::string& source, const ns3::CallbackBase& callback) {
            ns3::Config::ConnectWithoutContext(
                "/NodeList/*/ApplicationList/*/$mftpubsub::RadioHost/" + source,
                callback);
        };
        connect("Published", ns3::MakeCallback(&Told::Published, this));
        connect("Delivered", ns3::MakeCallback(&Told::Delivered, this));
        connect("Migrated", ns3::MakeCallback(&Told::Migrated, this));
        connect("Frame", ns3::MakeCallback(&Told::Frame, this));
    }

    void Published(const Event& event)
    {
        published.push_back(event.id.sequence);
    }

    void Delivered(EventId event, uint16_t from, uint8_t hops, bool isDuplicate)
    {
        if (isDuplicate)
        {
            ++duplicates;
            return;
        }
        delivered.push_back(event.sequence);
        deliveredBy[from].push_back(event.sequence);
        leastHops = std::min(leastHops, hops);
    }

    void Migrated(const std::string& kind, uint16_t parent)
    {
        migrated += kind + ">" + std::to_string(parent) + " ";
    }

    void Frame(const std::string& kind, uint16_t to, uint32_t bytesOnAir)
    {
        bytes[kind] = bytesOnAir;
        destinations[kind] = to;
        ++frames[kind];
        ++allFrames;
    }

    Sequences published;
    Sequences delivered;                       //!< for the first time
    std::map<uint16_t, Sequences> deliveredBy; //!< the same, by whom they came
    uint8_t leastHops{UINT8_MAX};              //!< of these
    uint32_t duplicates{0};
    std::string migrated;
    std::map<std::string, uint32_t> bytes;        //!< on the air, of the last frame of each kind
    std::map<std::string, uint16_t> destinations; //!< of the last frame of each kind
    std::map<std::string, uint32_t> frames;       //!< by kind
    uint32_t allFrames{0};
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_TOLD_H */
