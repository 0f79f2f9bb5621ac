/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_H
#define MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_H

#include "content/bytes.h"
#include "content/event.h"
#include "content/filter.h"
#include "protocols/tree/recent-events.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// Hop count of a subscriber of whom nothing is known ("infinity", protocols.md section 4 ruling
/// 1).
inline constexpr uint8_t UNKNOWN_HOPS = std::numeric_limits<uint8_t>::max();

/// @return @p hops and @p more hops together, UNKNOWN_HOPS at most (messages may go round for long)
constexpr uint8_t
AddHops(int hops, int more)
{
    return static_cast<uint8_t>(hops + more < UNKNOWN_HOPS ? hops + more : UNKNOWN_HOPS);
}

/**
 * How fresh a word about a subscriber is: the pair (t, h) of T 4.3.
 *
 * `a > b` means that a is newer: a higher timestamp, or the same one heard over fewer hops (ruling
 * 2).
 */
struct Freshness
{
    uint32_t timestamp{0};      //!< sequence number set by the subscriber; 0 = never heard of
    uint8_t hops{UNKNOWN_HOPS}; //!< hops to the subscriber, the client hop included

    bool operator==(const Freshness&) const = default;

    std::strong_ordering operator<=>(const Freshness& other) const
    {
        if (timestamp != other.timestamp)
        {
            return timestamp <=> other.timestamp;
        }
        return other.hops <=> hops;
    }
};

/// One (s, t, h) of a BMIG list.
struct SubscriberFreshness
{
    NodeId subscriber{NO_NODE};
    Freshness freshness;

    bool operator==(const SubscriberFreshness&) const = default;
};

/// A subscriber with nothing to subscribe to yet tells a broker that it is attached to it.
struct Attach
{
    static constexpr std::string_view NAME = "ATTACH";
    bool operator==(const Attach&) const = default;
};

/// Subscribe (T 2.3; with s from T 2.4 on, with t and h from T 4.3 on).
struct Sub
{
    static constexpr std::string_view NAME = "SUB";
    NodeId subscriber{NO_NODE};
    Filter filter;
    Freshness freshness;
    bool operator==(const Sub&) const = default;
};

/// Unsubscribe (as Sub).
struct Uns
{
    static constexpr std::string_view NAME = "UNS";
    NodeId subscriber{NO_NODE};
    Filter filter;
    Freshness freshness;
    bool operator==(const Uns&) const = default;
};

/// A published event on its way (T 2.3). `hops` is for the metrics (T 4.5.4); no protocol reads it.
struct Pub
{
    static constexpr std::string_view NAME = "PUB";
    EventPtr event;
    uint8_t hops{0};                 //!< hops that this copy has made when it arrives
    std::vector<NodeId> subscribers; //!< for whom the copy travels, if that is known; sent only
                                     //!< when `addressed`
    bool addressed{false};           //!< mft-pubsub-r: the receiver is told `subscribers`
    uint32_t timestamp{0}; //!< Phoenix: the sending broker's clock; 0 and unsent elsewhere
};

/// Migration of subscriber s, last attached to broker `previous` (T alg. 2.3, 3.2, 4.1).
struct Mig
{
    static constexpr std::string_view NAME = "MIG";
    NodeId subscriber{NO_NODE};
    NodeId previous{NO_NODE};
    Freshness freshness;
    uint32_t lastReceived{0}; //!< Phoenix's ts: `timestamp` of the last event from `previous`
    bool operator==(const Mig&) const = default;
};

/// Queued events of one subscriber, sent on (T alg. 2.3; grouped by subscriber since T 4.3).
struct Rep
{
    static constexpr std::string_view NAME = "REP";
    NodeId subscriber{NO_NODE};
    std::vector<EventPtr> events;
    uint8_t hops{0};       //!< as in Pub; a replay restarts the count (T 4.5.4)
    uint32_t timestamp{0}; //!< as in Pub, of the last event
};

/// What a broker holds of a subscriber's filters, told to that subscriber (T 3.2).
struct Filters
{
    static constexpr std::string_view NAME = "FILTERS";
    std::vector<Filter> filters;
    bool operator==(const Filters&) const = default;
};

/// Migration of a broker in MFT-PubSub: those below it, the others, hops travelled (T
/// alg. 4.2, 4.3).
struct Bmig
{
    static constexpr std::string_view NAME = "BMIG";
    std::vector<SubscriberFreshness> children; //!< C
    std::vector<SubscriberFreshness> others;   //!< O
    uint8_t hops{0};
    bool operator==(const Bmig&) const = default;
};

/// Asks for the filters of a subscriber (T alg. 4.3).
struct Bquery
{
    static constexpr std::string_view NAME = "BQUERY";
    NodeId subscriber{NO_NODE};
    Freshness freshness;
    bool operator==(const Bquery&) const = default;
};

/// All filters of a subscriber, as fresh as the broker that started the message had them (T
/// alg. 4.4).
struct Bsub
{
    static constexpr std::string_view NAME = "BSUB";
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters;
    Freshness freshness; //!< T_j(s) of the broker that started it, unchanged on the way
    uint8_t hops{0};
    bool operator==(const Bsub&) const = default;
};

/// mft-pubsub-r: a broker with a new parent opens the link to it, C claimed and O left to it.
struct OpeningBmig
{
    static constexpr std::string_view NAME = "BMIG";
    std::vector<SubscriberFreshness> children; //!< C
    std::vector<SubscriberFreshness> others;   //!< O
    bool operator==(const OpeningBmig&) const = default;
};

/// mft-pubsub-r: a migration goes on along an old path: the sender claims these subscribers.
struct ClaimingBmig
{
    static constexpr std::string_view NAME = "BMIG";
    std::vector<SubscriberFreshness> children; //!< C
    bool operator==(const ClaimingBmig&) const = default;
};

/// mft-pubsub-r: both ends opened the link; the sender's opening and all it said since are void.
struct Yield
{
    static constexpr std::string_view NAME = "YIELD";
    bool operator==(const Yield&) const = default;
};

/// mft-pubsub-r: the filters of a subscriber who is on the sender's side: a claim.
struct ClaimingBsub
{
    static constexpr std::string_view NAME = "BSUB";
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters;
    Freshness freshness;
    uint32_t home{0};    //!< t with which s came to the sender, if that is its home; else 0
    bool isFirst{false}; //!< the sender knows of no claim for s on this link before
    bool operator==(const ClaimingBsub&) const = default;
};

/// mft-pubsub-2: a subscriber broadcasts which of the latest events it has.
struct Have
{
    static constexpr std::string_view NAME = "HAVE";
    NodeId subscriber{NO_NODE};
    std::vector<RecentRow> rows; //!< one a publisher
    bool operator==(const Have&) const = default;
};

/// Migration of a broker in the first approach: its local subscribers and itself (T alg. 3.3).
struct CascadingBmig
{
    static constexpr std::string_view NAME = "BMIG";
    std::vector<NodeId> subscribers; //!< C_j
    NodeId origin{NO_NODE};          //!< b_j
    bool operator==(const CascadingBmig&) const = default;
};

/// One subscriber of a routing table.
struct TableEntry
{
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters;
    bool operator==(const TableEntry&) const = default;
};

/// The whole routing table of a broker (first approach, T alg. 3.3).
struct Btab
{
    static constexpr std::string_view NAME = "BTAB";
    std::vector<TableEntry> entries;
    bool operator==(const Btab&) const = default;
};

/// Forces the receiver to migrate (first approach, T alg. 3.3).
struct Fmig
{
    static constexpr std::string_view NAME = "FMIG";
    bool operator==(const Fmig&) const = default;
};

/**
 * A link of the tree, by the child that opened it and how many it had opened then. (Family of C.) A
 * child that has run before counts from a drawn number on: others may know links of its former life
 * still.
 */
struct LinkName
{
    NodeId opener{NO_NODE}; //!< NO_NODE: no link
    uint32_t number{0};
    auto operator<=>(const LinkName&) const = default;
};

/// Family of C: you are my parent; the link between us replaces one that I have lost, if any.
struct OpeningLink
{
    static constexpr std::string_view NAME = "LINK";
    LinkName link;
    LinkName replaced;
    bool operator==(const OpeningLink&) const = default;
};

/// Family of C: all that is to be said over the link that replaces @p lost has been said.
struct Flush
{
    static constexpr std::string_view NAME = "FLUSH";
    LinkName lost;
    bool operator==(const Flush&) const = default;
};

struct Own;

/// How messages of a protocol of one's own are called and shown.
struct OwnFormat
{
    std::vector<std::string> names; //!< of their kinds

    /// @return its fields as a JSON object, or as words of transcripts. A node is written as
    ///         "\x01" "5" "\x01", an event as "\x01" "5#7" "\x01", for whoever knows their names
    std::function<std::string(const Own& message, bool isJson)> describe;
};

/// A message of a protocol of one's own, which alone knows how it is encoded.
struct Own
{
    static constexpr std::string_view NAME = "OWN";
    uint8_t kind{0};
    bool isForParent{false}; //!< says that the receiver is the sender's parent
    Bytes body;
    std::vector<EventId> events;             //!< that it carries; its sender knows. Not sent
    std::shared_ptr<const OwnFormat> format; //!< not sent

    bool operator==(const Own& other) const
    {
        return kind == other.kind && isForParent == other.isForParent && body == other.body;
    }
};

/// Every message of the thesis's family, of C's on its overlay (protocols.md section 2; HEARTBEAT
/// and ACK live elsewhere), and of protocols of one's own.
using Message = std::variant<Attach,
                             Sub,
                             Uns,
                             Pub,
                             Mig,
                             Rep,
                             Filters,
                             Bmig,
                             Bquery,
                             Bsub,
                             CascadingBmig,
                             Btab,
                             Fmig,
                             OpeningBmig,
                             ClaimingBmig,
                             Yield,
                             ClaimingBsub,
                             OpeningLink,
                             Flush,
                             Have,
                             Own>;

/// @return the message's name as the sources write it ("BMIG")
std::string_view GetName(const Message& message);

/// @return whether by @p message broker @p from says that the receiver is its parent now
bool ComesFromChild(NodeId from, const Message& message);

/// @return whether a broker takes @p message from tree neighbours alone: it changes routes, and is
///         no word of client @p from for itself
bool IsAmongNeighbours(NodeId from, const Message& message);

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_MESSAGE_H */
