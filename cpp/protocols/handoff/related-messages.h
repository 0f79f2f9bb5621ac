/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_HANDOFF_RELATED_MESSAGES_H
#define MFTPUBSUB_PROTOCOLS_HANDOFF_RELATED_MESSAGES_H

#include "protocols/handoff/message-parts.h"

#include <concepts>
#include <string_view>
#include <type_traits>
#include <variant>

namespace mftpubsub::handoff
{

// Messages of the schemes of related work. A field means the same in all:
// `broker` is the one that the message is about (who asks, where a proxy is), `session` the
// connection of the subscriber that the hand-off belongs to, `events` what was stored for it.

/// A publisher is in that direction (REBECA).
struct Adv
{
    static constexpr std::string_view NAME = "ADV";
    NodeId publisher{NO_NODE};
};

/// Between brokers: the sender wants what the filters match (of a proxy at `broker`; JEDI: `broker`
/// waits for SUBOK).
struct TreeSub
{
    static constexpr std::string_view NAME = "SUB";
    NodeId subscriber{NO_NODE};
    NodeId broker{NO_NODE};
    std::vector<Filter> filters;
};

/// Between brokers: no longer.
struct TreeUns
{
    static constexpr std::string_view NAME = "UNS";
    NodeId subscriber{NO_NODE};
    NodeId broker{NO_NODE};
};

/// Subscriber to broker: it is about to leave (JEDI, SIENA).
struct MoveOut
{
    static constexpr std::string_view NAME = "MOVEOUT";
    NodeId subscriber{NO_NODE};
    bool keep{true}; //!< store what matches meanwhile
};

/// JEDI: `broker` has the subscriber now, and needs its state.
struct GetState
{
    static constexpr std::string_view NAME = "GETSTATE";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
};

/// JEDI: the filters; the sender goes on storing.
struct State1
{
    static constexpr std::string_view NAME = "STATE1";
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters;
};

/// JEDI: the broker where the new path meets an old one, or the root, has the subscription.
struct SubOk
{
    static constexpr std::string_view NAME = "SUBOK";
    NodeId subscriber{NO_NODE};
};

/// JEDI: the new path stands: stop, and send what is stored.
struct Release
{
    static constexpr std::string_view NAME = "RELEASE";
    NodeId subscriber{NO_NODE};
};

/// JEDI: the stored events; the sender has forgotten the subscriber.
struct State2
{
    static constexpr std::string_view NAME = "STATE2";
    NodeId subscriber{NO_NODE};
    std::vector<Held> events;
};

/// JEDI, SIENA, MHH: the subscriber has left for good; who asked for it gets nothing.
struct Refused
{
    static constexpr std::string_view NAME = "REFUSED";
    NodeId subscriber{NO_NODE};
};

/// SIENA: published; `broker` has the subscriber now, `old` is to answer.
struct Ping
{
    static constexpr std::string_view NAME = "PING";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
    NodeId old{NO_NODE};
};

/// SIENA: a PING that another proxy is to answer, who has had the subscriber since.
struct PassOn
{
    static constexpr std::string_view NAME = "PASSON";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
};

/// SIENA: published, for the proxy at `broker`: the sender has the events.
struct Pong
{
    static constexpr std::string_view NAME = "PONG";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
};

/// SIENA: the new proxy asks the old one for its events.
struct Get
{
    static constexpr std::string_view NAME = "GET";
    NodeId subscriber{NO_NODE};
    Session session{0};
};

/// SIENA: these are they; the sender has unsubscribed.
struct Data
{
    static constexpr std::string_view NAME = "DATA";
    NodeId subscriber{NO_NODE};
    std::vector<Held> events;
};

/// REBECA: towards publishers, until the old path is met; `broker` has the subscriber now.
struct SubMove
{
    static constexpr std::string_view NAME = "SUBMOVE";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
    std::vector<Filter> filters;
};

/// REBECA: along the old path, to the virtual counterpart. (FETCH, but not that of G.)
struct FetchReplay
{
    static constexpr std::string_view NAME = "FETCH";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
};

/// REBECA: what the virtual counterpart has stored.
struct Replay
{
    static constexpr std::string_view NAME = "REPLAY";
    NodeId subscriber{NO_NODE};
    std::vector<Held> events;
};

/// ELVIN, to the proxy: the client is at the sender, and has consumed `last`.
struct RouteTo
{
    static constexpr std::string_view NAME = "ROUTE";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId user{NO_NODE};
    Consumed last;
    std::vector<Filter> filters;
};

/// ELVIN, from the proxy: events for a client.
struct Notify
{
    static constexpr std::string_view NAME = "NOTIFY";
    NodeId subscriber{NO_NODE};
    Session session{0};
    std::vector<Held> events;
};

/// ELVIN, to the proxy: the client is gone.
struct Detach
{
    static constexpr std::string_view NAME = "DETACH";
    NodeId subscriber{NO_NODE};
    Session session{0};
};

/// MHH: `broker` has the subscriber now.
struct MhReq
{
    static constexpr std::string_view NAME = "MHREQ";
    NodeId subscriber{NO_NODE};
    Session session{0};
    NodeId broker{NO_NODE};
};

/// MHH, hop by hop: the subscription turns towards `broker`.
struct Migrate
{
    static constexpr std::string_view NAME = "MIGRATE";
    NodeId subscriber{NO_NODE};
    NodeId broker{NO_NODE};
    std::vector<Filter> filters;
};

/// MHH: answer to MIGRATE: nothing more for the subscriber comes from here on the old path.
struct Flip
{
    static constexpr std::string_view NAME = "FLIP";
    NodeId subscriber{NO_NODE};
};

/// MHH: stored events, on their way to the subscriber's broker.
struct Rep
{
    static constexpr std::string_view NAME = "REP";
    NodeId subscriber{NO_NODE};
    std::vector<Held> events;
};

/// MHH, hop by hop: nothing stored is left behind the sender.
struct End
{
    static constexpr std::string_view NAME = "END";
    NodeId subscriber{NO_NODE};
};

/// Phoenix, MFT-PubSub: the subscription of a subscriber on that side.
struct RoutedSub
{
    static constexpr std::string_view NAME = "SUB";
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters; //!< one
    uint32_t timestamp{0};       //!< of the subscriber's word (T 4.3)
    uint8_t hops{0};             //!< that it has come
};

/// Phoenix, MFT-PubSub: it has unsubscribed.
struct RoutedUns
{
    static constexpr std::string_view NAME = "UNS";
    NodeId subscriber{NO_NODE};
    std::vector<Filter> filters; //!< one
    uint32_t timestamp{0};       //!< of the subscriber's word (T 4.3)
    uint8_t hops{0};             //!< that it has come
};

/// Phoenix, MFT-PubSub: it has moved to that side, from `old`.
struct Mig
{
    static constexpr std::string_view NAME = "MIG";
    NodeId subscriber{NO_NODE};
    NodeId old{NO_NODE};
    uint32_t timestamp{0};
    uint8_t hops{0};
    uint32_t lastReceived{0}; //!< Phoenix: timestamp of the last event from `old`
};

/// Every message of the schemes of related work.
/// EMMA: the subscriber has connected elsewhere, and what it wants is known on the way from there.
struct Disconnect
{
    static constexpr std::string_view NAME = "DISCONNECT";
    NodeId subscriber{NO_NODE};
    Session session{0};
};

using RelatedMessage = std::variant<Adv,
                                    Disconnect,
                                    TreeSub,
                                    TreeUns,
                                    MoveOut,
                                    GetState,
                                    State1,
                                    SubOk,
                                    Release,
                                    Refused,
                                    State2,
                                    Ping,
                                    PassOn,
                                    Pong,
                                    Get,
                                    Data,
                                    SubMove,
                                    FetchReplay,
                                    Replay,
                                    RouteTo,
                                    Notify,
                                    Detach,
                                    MhReq,
                                    Migrate,
                                    Flip,
                                    Rep,
                                    End,
                                    RoutedSub,
                                    RoutedUns,
                                    Mig>;

template <typename Kind, typename List>
inline constexpr bool IS_ONE_OF = false;

template <typename Kind, typename... Others>
inline constexpr bool IS_ONE_OF<Kind, std::variant<Others...>> =
    (std::is_same_v<Kind, Others> || ...);

/// A message of related work.
template <typename Kind>
concept Related = IS_ONE_OF<Kind, RelatedMessage>;

} // namespace mftpubsub::handoff

#endif /* MFTPUBSUB_PROTOCOLS_HANDOFF_RELATED_MESSAGES_H */
