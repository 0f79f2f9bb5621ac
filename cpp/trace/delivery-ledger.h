/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_TRACE_DELIVERY_LEDGER_H
#define MFTPUBSUB_TRACE_DELIVERY_LEDGER_H

#include "content/event.h"
#include "content/id-set.h"
#include "content/loss-cause.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mftpubsub
{

constexpr auto LOSS_CAUSES = static_cast<size_t>(LossCause::MAC) + 1;

/// @return the cause as the trace names it ("IN_FLIGHT")
std::string_view GetName(LossCause cause);

/// An event that a subscriber did not get.
struct Loss
{
    EventId event;
    NodeId subscriber{NO_NODE};
    LossCause cause{LossCause::UNSENT};

    bool operator==(const Loss&) const = default;
};

/**
 * Keeps for every (event, subscriber) that is not delivered yet what was heard of it last. So what
 * was sent is what was delivered plus what the ledger still holds, each pair with one cause.
 *
 * Several copies may be under way for one subscriber; the last one that anything was heard of
 * counts. Takes memory for undelivered pairs only.
 */
class DeliveryLedger
{
  public:
    /// @p subscriber should get @p event, which is UNSENT so far.
    void Open(EventId event, NodeId subscriber);

    /// @p subscriber has got @p event.
    void Close(EventId event, NodeId subscriber);

    /// A broker has got @p event.
    void Taken(EventId event);

    /// What has become of @p event for @p subscriber; of no interest if the pair is not open.
    void Note(EventId event, NodeId subscriber, LossCause cause);

    /// The same of several.
    void Note(EventId event, const IdSet& subscribers, LossCause cause);

    /// What has become of a copy of @p event that names no subscriber: it concerns those for whom
    /// no Note was made.
    void NoteUnmatched(EventId event, LossCause cause);

    /// @return the pairs still open, by event and subscriber
    std::vector<Loss> GetLosses() const;

    /// @return how many pairs are still open for each cause that there is, by its name
    std::map<std::string, uint64_t> CountByCause() const;

  private:
    struct Fate
    {
        NodeId subscriber{NO_NODE};
        LossCause cause{LossCause::UNSENT};
        bool isMatched{false}; //!< Note was called
    };

    /// @return where @p subscriber is in @p fates, or their end
    static std::vector<Fate>::iterator Find(std::vector<Fate>& fates, NodeId subscriber);
    void SetCause(Fate& fate, LossCause cause);

    std::unordered_map<EventId, std::vector<Fate>> m_open; //!< fates by subscriber, ascending
    std::array<uint64_t, LOSS_CAUSES> m_counts{};          //!< of open pairs, by cause
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TRACE_DELIVERY_LEDGER_H */
