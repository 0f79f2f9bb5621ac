/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What is around a frame in a datagram: who has sent it, and proof that nobody has changed it.
 */
#ifndef MFTPUBSUB_LIVE_DATAGRAM_H
#define MFTPUBSUB_LIVE_DATAGRAM_H

#include "content/bytes.h"
#include "content/node-id.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mftpubsub::live
{

/// Bytes around a datagram: IPv4 and UDP.
inline constexpr uint16_t AROUND_DATAGRAM = 28;

/// Who has sent a datagram, and which of its datagrams it is.
struct Envelope
{
    NodeId source{NO_NODE};
    uint64_t life{0};   //!< of the process: a later one of the same node has a larger number
    uint32_t number{0}; //!< counts the datagrams of that life

    bool operator==(const Envelope&) const = default;
};

/// The latest life of a node that others know of. A node of a former one, whose clock has gone
/// back, takes a later one then, or nobody would listen to it.
struct LatestLife
{
    NodeId node{NO_NODE};
    uint64_t life{0};
};

/// @return what a datagram's frame tells; none if it is something else
std::optional<LatestLife> ReadLatestLife(std::span<const uint8_t> frame);

/// Why a datagram is not read.
enum class Refusal : uint8_t
{
    STRANGER,      //!< it is none of this project
    OTHER_VERSION, //!< its layout is of another version
    OTHER_NETWORK, //!< it is of another network, or protocol
    UNSIGNED,      //!< this network has a key, and it has none
    LOCKED,        //!< it needs a key that this node has not
    DAMAGED,       //!< it was changed on its way, or is of another key
    REPEATED,      //!< it was heard before, or is of a former life of its sender
    DUPLICATE_ID,  //!< somebody else has this node's id
};

inline constexpr size_t REFUSALS = 8;

/// @return e.g. "strangers", the name of a counter
std::string_view GetName(Refusal refusal);

/// An authentic datagram; @c frame lasts as long as its bytes.
struct Opened
{
    Envelope envelope;
    bool isForLife{false}; //!< the frame is no station's, but a LatestLife
    std::span<const uint8_t> frame;
};

/**
 * Puts frames into datagrams and takes them out. A datagram is magic (1 B), version (1), flags (1),
 * network (2), source (2), life (8), number (4), the frame, and a tag (8): the first bytes of
 * HMAC-SHA-256 over the rest, with the key of the network or, without one, an empty key.
 *
 * The tag proves that who has sent it has the key. Nothing is encrypted.
 */
class Framing
{
  public:
    /// @param network its name: datagrams of others are refused
    /// @param key that all nodes of the network have; may be empty
    Framing(std::string_view network, Bytes key);

    Bytes Seal(const Envelope& envelope, std::span<const uint8_t> frame) const;
    Bytes Seal(const Envelope& envelope, const LatestLife& latest) const;

    std::variant<Opened, Refusal> Open(std::span<const uint8_t> datagram) const;

    /// Bytes around a frame.
    static constexpr size_t OVERHEAD = 27;

  private:
    using Tag = std::array<uint8_t, 8>;

    Bytes Seal(const Envelope& envelope, std::span<const uint8_t> frame, uint8_t flags) const;
    Tag MakeTag(std::span<const uint8_t> bytes) const;

    uint16_t m_network;
    Bytes m_key;
};

/// Counts the datagrams that a node sends.
class OwnDatagrams
{
  public:
    /// @param sent how many of this life
    explicit OwnDatagrams(NodeId self = NO_NODE, uint64_t life = 0, uint32_t sent = 0);

    /// @return for the next one: of another life when all numbers of this one are used
    Envelope Next();

    /// @return whether this node has sent it, in this life or the one before
    bool Has(const Envelope& envelope) const;

    void BeginLife(uint64_t life);

    uint64_t GetLife() const
    {
        return m_life;
    }

  private:
    NodeId m_self;
    uint64_t m_life;
    uint64_t m_formerLife;
    uint32_t m_sent;
};

/**
 * Which datagrams were heard, so that each is taken once: by sender its latest life, and of that
 * the newest number and the 64 before it. What is older counts as heard.
 */
class HeardDatagrams
{
  public:
    /// @param isStrict whether a former life of a sender stays over; else its clock may have gone
    /// back
    explicit HeardDatagrams(bool isStrict);

    /// @return whether it is new; it is heard from now on
    bool Take(const Envelope& envelope);

    /// @return whether a datagram is of a former life of its sender, and stays unread for it
    std::optional<LatestLife> FindLater(const Envelope& envelope) const;

    /// The latest lives and numbers that a store has remembered.
    void Remember(const Envelope& latest);

    /// @return the latest of each sender
    std::vector<Envelope> GetLatest() const;

  private:
    struct Window
    {
        uint64_t life{0};
        uint32_t newest{0};
        uint64_t before{0}; //!< bit i: newest - i was heard
    };

    bool m_isStrict;
    std::map<NodeId, Window> m_windows;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_DATAGRAM_H */
