/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_H
#define MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_H

#include "lab/transcript.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// What a laboratory of hand-offs is made of.
struct HandoffLabOptions
{
    std::string scheme;                                     //!< a name of handoff::GetSchemes()
    std::vector<std::pair<std::string, std::string>> links; //!< between brokers
    std::vector<std::pair<std::string, std::string>> neighbours; //!< the graph known at the start
    uint32_t ackBatch{1};
    uint64_t queueBytes{UINT64_MAX / 2};
    bool home{false};
    bool filtersInReconnect{false};
    std::string root;                    //!< of the tree, where a scheme routes; empty: the first
    std::vector<std::string> publishers; //!< who advertise at the start; none: the first broker
    bool implicitMoveOut{false};
    bool hasLanes{false}; //!< stored events do not hold up what is sent after them
    bool isLogging{true}; //!< TakeLog has what happens; searches do without
};

class HandoffLabState;

/**
 * Brokers that stay, and subscribers that move between them, over perfect links without time.
 *
 * Messages between brokers wait until they are stepped, in the order of sending, first in first out
 * on each link; a link may be held. Where a scheme routes, links are those of the tree, and a
 * message for a broker that is no neighbour is stepped hop by hop. What a subscriber sends or is
 * sent arrives at once, and so does an event at every broker where a scheme floods them (handoff.md
 * section 1).
 *
 * Every method that is given nonsense throws LabError, and has changed nothing.
 */
class HandoffLab
{
  public:
    explicit HandoffLab(const HandoffLabOptions& options);
    ~HandoffLab();

    HandoffLab(const HandoffLab&) = delete;
    HandoffLab& operator=(const HandoffLab&) = delete;

    /// @param where a condition; empty: every event
    /// @param user another subscriber, a client of the same user (ELVIN); empty: its own
    void Subscribe(const std::string& subscriber,
                   const std::string& at,
                   const std::string& where,
                   const std::string& user = "");
    void Unsubscribe(const std::string& subscriber);
    void Publish(const std::string& event, const std::string& at);
    void Connect(const std::string& subscriber, const std::string& broker);
    void Disconnect(const std::string& subscriber);

    /// It leaves, and says so before. @param keep whether events are to be stored meanwhile
    void MoveOut(const std::string& subscriber, bool keep);

    /// @p subscriber has pinged @p broker (EMMA).
    void Ping(const std::string& subscriber, const std::string& broker, double milliseconds);

    /// The controller sends subscribers, one after the other, to where they should be (EMMA).
    void Balance();

    /// Nothing is delivered from @p from to @p to until Release.
    void Hold(const std::string& from, const std::string& to);
    void Release(const std::string& from, const std::string& to);

    /// The context of @p subscriber times out at @p broker (case 8); in schemes of related work,
    /// whatever can expire there.
    void TimeOut(const std::string& subscriber, const std::string& broker);

    /// Both ends learn that subscribers move between them.
    void AddEdge(const std::string& one, const std::string& other);

    /// Delivers the oldest message on a link that is not held. @return false if there is none
    bool Step();

    /// Delivers the oldest message from @p from to @p to. @throws LabError if there is none
    void StepLink(const std::string& from, const std::string& to);

    /// @return the links over which a message may come next
    std::vector<std::pair<std::string, std::string>> GetReady() const;

    /// Delivers the oldest message of the @p choice-th (modulo their number) link that has one.
    bool StepChoice(uint64_t choice);

    /// Steps until nothing can be delivered. @throws std::runtime_error when @p limit do not end it
    void Settle(uint64_t limit);

    /// @return what was sent to subscribers and delivered between brokers since the last call
    std::vector<LabLine> TakeLog();

    LabPicture Draw() const;

    /// @return the copies of @p subscriber, one line a broker
    std::vector<std::string> GetStates(const std::string& subscriber) const;

    /**
     * Checks what must hold once nothing is pending and every subscriber is connected: it has
     * received every event that matched since it subscribed; one copy serves it, and none stores
     * for a broker that it is not away from.
     *
     * @return the violations, each as "class: what is wrong"
     */
    std::vector<std::string> FindViolations() const;

    /// @return copies that subscribers received beyond the first
    uint64_t CountDuplicates() const;

    /// @return events that a subscriber first received after a later one of the same publisher
    uint64_t CountDisorder() const;

    /// @return messages between brokers so far
    uint64_t CountMessages() const;

  private:
    std::unique_ptr<HandoffLabState> m_state;
};

/// @return the names of all hand-off schemes
std::vector<std::string> GetHandoffSchemes();

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_HANDOFF_HANDOFF_LAB_H */
