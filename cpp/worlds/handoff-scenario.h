/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WORLDS_HANDOFF_SCENARIO_H
#define MFTPUBSUB_WORLDS_HANDOFF_SCENARIO_H

#include "content/node-id.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// Work of the brokers in closed loop, ms each (handoff.md 10.2: a fit).
struct HandoffCosts
{
    double eventMs{0};
    double deliveredMs{0};   //!< per copy sent to a subscriber
    double storedMs{0};      //!< per copy put into a buffer
    double controlMs{0};     //!< per hand-off message
    double transferredMs{0}; //!< per event in a hand-off message
};

/// What is the same in all of G's evaluation (G 5.1; handoff.md 10), in seconds.
struct HandoffTimes
{
    static constexpr double MEAN_DISCONNECTED = 12;
    static constexpr double MEAN_HANDOFF = 3;
    static constexpr double PUBLICATION = 0.001; //!< of an event, to every broker
    static constexpr double BROKERS = 0.001;     //!< between two brokers
    static constexpr double CLIENT = 0.005;      //!< between a broker and a subscriber
    static constexpr double ACCEPT = 0.02;       //!< of a connection
};

/// Subscribers that move between fixed brokers (G 5.1; handoff.md 10). Times in seconds.
struct HandoffScenario
{
    std::string scheme;                               //!< a name of handoff::GetSchemes()
    uint32_t brokers{6};                              //!< 1 to this; the publisher is at 1
    std::vector<std::pair<uint16_t, uint16_t>> moves; //!< from, to: where subscribers may go
    std::vector<std::pair<uint16_t, uint16_t>> links; //!< tree of the brokers
    uint16_t root{1};                                 //!< of that tree: JEDI's, ELVIN's proxy
    uint32_t subscribers{200};
    double rate{20};      //!< publications a second, in open loop
    double interest{0.2}; //!< probability that a subscriber wants an event
    uint32_t eventBytes{4096};
    uint64_t queueBytes{1 << 20};
    uint64_t seed{1};

    double meanConnected{60};
    double warmUp{1800};
    double window{3600};
    double drain{600};

    double bandwidth{0};       //!< to each subscriber, bit/s; 0: without bound
    double detectionDelay{0};  //!< of a broken connection
    double transferTime{0.03}; //!< per event that leaves a broker in a hand-off, one by one

    bool closedLoop{false};
    double sleep{0}; //!< between two publications, in closed loop
    HandoffCosts costs;

    bool home{false};               //!< reactive: a subscriber's first broker stores for it
    bool filtersInReconnect{false}; //!< reactive
    bool announced{true};           //!< JEDI, SIENA: subscribers say that they leave
    bool implicitMoveOut{false};
    double sessionExpiry{0}; //!< mqtt-session; 0: never
    double eventExpiry{600}; //!< ELVIN

    bool isLogged{false}; //!< every message and move, from the beginning to the end

    // For Python, where to make a std::pair takes cppyy 3 ms and memory that it does not give back.
    void AddMove(uint16_t from, uint16_t to)
    {
        moves.emplace_back(from, to);
    }

    void AddLink(uint16_t one, uint16_t other)
    {
        links.emplace_back(one, other);
    }
};

/// Ids of brokers are below, those of subscribers are not.
inline constexpr uint16_t FIRST_HANDOFF_SUBSCRIBER = 1000;

/// @return what a broker, or subscriber, is called: B1, S0
std::string NameHandoffNode(NodeId node);

/// @throws std::invalid_argument that says what of @p scenario cannot be run
void Check(const HandoffScenario& scenario);

} // namespace mftpubsub

#endif /* MFTPUBSUB_WORLDS_HANDOFF_SCENARIO_H */
