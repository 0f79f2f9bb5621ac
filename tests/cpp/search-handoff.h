/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TESTS_SEARCH_HANDOFF_H
#define MFTPUBSUB_TESTS_SEARCH_HANDOFF_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mftpubsub
{

/// Random schedules of subscribers that move, one after the other, in the hand-off laboratory.
struct HandoffSearch
{
    std::string scheme;
    uint32_t subscribers{1};
    uint32_t publishers{1};  //!< at b1, b2, ...
    bool isAnnounced{false}; //!< subscribers say that they leave
    bool hasLanes{false};    //!< stored events do not hold up what is sent after them
    uint32_t moves{5};
    bool isSettledBetween{false}; //!< each move ends before the next begins
    bool knowsGraph{true};        //!< pro-active: the neighbour graph is known at the start
    bool unsubscribes{false};     //!< in the end
    bool leavesMeanwhile{false};  //!< subscribers unsubscribe while they are handed over
    bool isRedirected{false};     //!< a controller sends subscribers elsewhere (EMMA)
    bool hasHomes{false};         //!< reactive
    bool carriesFilters{false};   //!< reactive: RECONNECT does
    bool drawsBatches{false}; //!< each schedule has its own batch of acknowledgements, and number
                              //!< of publishers
    bool drawsQueues{false};  //!< each schedule has its own bound of buffers: one to eight events
    uint64_t schedules{1000};
    uint64_t firstSeed{1};
};

/// What a search found.
struct HandoffFindings
{
    uint64_t schedules{0};
    std::map<std::string, uint64_t>
        violated; //!< schedules by class of violation; "duplicate", "disorder" too
    std::map<std::string, uint64_t> example; //!< the first seed of each class
    uint64_t moves{0};
    uint64_t messages{0};
};

HandoffFindings Search(const HandoffSearch& search);

/// @return the transcript of one schedule, with what it violates
std::vector<std::string> Replay(const HandoffSearch& search, uint64_t seed);

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_SEARCH_HANDOFF_H */
