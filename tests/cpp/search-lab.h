/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Searches for schedules after which the laboratory's invariants (TreeLab::FindViolations) do not
 * hold: all delivery orders of a small case, or random schedules of larger ones, shrunk.
 */
#ifndef MFTPUBSUB_TESTS_SEARCH_LAB_H
#define MFTPUBSUB_TESTS_SEARCH_LAB_H

#include "lab/tree/tree-lab.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mftpubsub
{

/// A laboratory and commands, in the words of transcripts ("migrate b3 to b2", "step b3 b2").
struct Schedule
{
    LabOptions options;
    std::vector<std::string> setup;    //!< what is done, and settled, before it starts
    std::vector<std::string> commands; //!< after the last of them, everything settles
    bool probed{false};                //!< at the end everybody is sent something from everywhere

    /// @return a transcript file (without what its commands print)
    std::string ToTranscript(const std::string& comment) const;
};

/// How a schedule ended: with violations of the laboratory's invariants, or "undelivered: ..." of
/// what was published when all was quiet and together.
struct Outcome
{
    std::vector<std::string> violations; //!< as FindViolations, or "endless: ..."
    uint64_t sent{0};                    //!< messages sent after the setup

    /// @return the class of the first violation ("route"), empty if there is none
    std::string GetClass() const;
};

/// Runs one command. @return false if it makes no sense now (nothing has changed)
bool RunCommand(TreeLab& lab, const std::string& command);

/// @return the laboratory after the setup of @p schedule
TreeLab SetUp(const Schedule& schedule);

/// Runs @p schedule, commands that make no sense left out.
Outcome RunSchedule(const Schedule& schedule);

/// What random schedules consist of.
struct RandomOptions
{
    std::string protocol;
    int brokers{5};
    int subscribers{2};
    int operations{4};
    bool overlapping{true}; //!< operations do not wait for the network to be quiet
    bool partitions{true};  //!< links break and come back
    bool moves{true};       //!< subscribers move
    bool crashes{false};
    bool unseen{false};  //!< messages, links, memory and clients are lost, and nobody is told
    bool filters{false}; //!< subscribers change their filters
    bool events{true};
    bool strict{false}; //!< of mft-pubsub-r: its limits are drawn, and at the end all is probed
};

/// A schedule, and how it ended.
struct DrawnSchedule
{
    Schedule schedule;
    Outcome outcome; //!< as RunSchedule tells it
};

/// Draws a random schedule command by command while it runs, healed at the end; the same seed gives
/// the same.
DrawnSchedule DrawSchedule(const RandomOptions& options, uint64_t seed);

/// @return the shortest schedule found by leaving commands out that still ends in @p violation
Schedule Shrink(Schedule schedule, const std::string& violation);

/// What a search through all delivery orders saw.
struct Exploration
{
    uint64_t states{0};               //!< distinct
    uint64_t ends{0};                 //!< distinct quiet states
    bool complete{true};              //!< false: stopped at the limit of states
    std::optional<Schedule> violated; //!< a schedule that violates an invariant
    std::string violation;            //!< the class
};

/**
 * Searches through all orders in which the messages of @p schedule can be delivered and its
 * commands (in their order) can happen among them, breadth first.
 *
 * @param limit of states
 * @param reduces as in ExploreFreely
 */
Exploration Explore(const Schedule& schedule, uint64_t limit, bool reduces = true);

/// Commands, so many of which may be given.
struct Vocabulary
{
    std::vector<std::string> commands;
    int budget{0};
};

/**
 * Searches through everything that commands of @p vocabularies, within their budgets, can lead to,
 * whichever they are, in whichever order, however messages are delivered between them; depth first.
 * The invariants are checked wherever nothing is pending.
 *
 * @param limit of states
 * @param reduces whether to leave out, once all commands are given, orders of deliveries that lead
 *        to the same quiet states (lab-reduction.h)
 */
Exploration ExploreFreely(const Schedule& start,
                          const std::vector<Vocabulary>& vocabularies,
                          uint64_t limit,
                          bool reduces = true);

/// @return the commands of every kind that the laboratory tells everybody of, for subscriber s1
std::vector<std::string> MakeSeenCommands(const std::vector<std::string>& brokers);

/// @return those of which nobody is told: messages, links, memory and clients that are lost
std::vector<std::string> MakeUnseenCommands(const std::vector<std::string>& brokers);

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_SEARCH_LAB_H */
