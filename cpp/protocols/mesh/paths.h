/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_PATHS_H
#define MFTPUBSUB_PROTOCOLS_MESH_PATHS_H

#include "content/bytes.h"
#include "content/event.h"
#include "content/id-set.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace mftpubsub::mesh
{

/// Subscribers at most to whom a path may lead.
inline constexpr size_t MAX_CLAIMS = 127;

/// Searches for a subscriber at most that a frame counts.
inline constexpr uint8_t MAX_ROUND = 127;

/// How far away a subscriber is from who says so.
struct Hint
{
    static constexpr uint8_t UNKNOWN = 255;
    static constexpr uint8_t FAR = 254; //!< further than other codes can say: FAR_HOPS
    static constexpr double FAR_HOPS = 1000;

    NodeId subscriber{NO_NODE};
    uint8_t code{UNKNOWN}; //!< eighths of a hop up to 16 hops, half hops beyond: 78.5 at most

    /// @return infinitely many, if it is not known
    double GetHops() const;

    bool operator==(const Hint&) const = default;
};

Hint MakeHint(NodeId subscriber, double hops);

/// What who sends an event says of a subscriber that it brings it to.
struct Claim : Hint
{
    uint8_t round{0}; //!< raised by each search: what was said before has led nowhere

    /// With these others it brings it to the subscriber, by one way at first; none: alone. The
    /// distance is then the length of all ways between them.
    std::shared_ptr<const std::vector<NodeId>> companions{};

    // What a device that knows where it is makes of it; not in frames:
    std::optional<double> measured{}; //!< hops
    bool isAside{false};              //!< whoever says it asks others than this device

    /// @return to whom it brings the event by this way
    std::vector<NodeId> GetAll() const
    {
        return companions ? *companions : std::vector<NodeId>{subscriber};
    }

    double GetHops() const
    {
        return measured.value_or(Hint::GetHops());
    }

    /// @return whether it says no distance: its sender looks for the subscriber
    bool IsSearch() const
    {
        return code == UNKNOWN;
    }

    /// @return whether frames say no more than that it is far
    bool IsBeyondCodes() const
    {
        return code == FAR;
    }

    /// Who is to keep an event is found out by this: all who hear it compare the same distances,
    /// so that the nearest never takes another for nearer.
    /// @return what frames say; what they cannot say is as it was measured
    Claim AsTold() const;

    /// @return whether one way leads to both, or nobody knows where they are
    bool IsTogetherWith(const Claim& other) const;

    /// @return whether the event is better left to who says this, who is nearer by more than
    /// @p hops
    bool IsNearerThan(const Claim& other, double hops = 0) const;

    /// @return whether frames say the same
    bool operator==(const Claim& other) const;
};

/// Who brings an event to a subscriber, as far as a broker has heard.
struct Bearing
{
    Claim nearest;               //!< of all who were heard sending it ...
    Claim taker;                 //!< as told by the brokers among them, to whom it may be left
    std::optional<Claim> said{}; //!< by this broker, if the subscriber is in its charge

    explicit Bearing(NodeId subscriber)
        : nearest{{subscriber}},
          taker{{subscriber}}
    {
    }

    /// @param isOpen whether it asks all that are nearer, as nobody was heard to take the event
    /// @param blur hops by which two may measure one way differently
    void Hear(const Claim& claim, bool isOpen, bool isBrokers, double blur);

    /// The event was brought to the subscriber in vain.
    void SearchAnew();

    /// @return what the nearest broker has said, be it this one
    Claim GetBest() const;
};

/// Orders @p claims so that a frame can say which are companions.
void PutTogether(std::vector<Claim>& claims);

/// To whom an event is on its way, if not to everybody.
struct Path
{
    uint32_t wordsHash{0};     //!< of the words that the sender has
    std::vector<Claim> claims; //!< of the sender

    /// Of the others who want it and may not have got it: what a broker nearer to them has said.
    std::vector<Claim> elsewhere{};

    /// Whether the claims ask all that are nearer, not only who is ahead; not in frames.
    bool isOpen{false};

    bool IsForAll() const
    {
        return claims.empty() && elsewhere.empty();
    }

    /// @return all who want it and may not have got it
    IdSet GetOpen() const;

    bool operator==(const Path&) const = default;
};

/// @return bytes that claims of so many subscribers add to an event, at most
size_t CountClaimBytes(size_t subscribers);

size_t CountBytes(const Path& path);

void Write(ByteWriter& out, const std::vector<Hint>& hints);
std::vector<Hint> ReadHints(ByteReader& in);

void Write(ByteWriter& out, const std::vector<Claim>& claims);
std::vector<Claim> ReadClaims(ByteReader& in);

void Write(ByteWriter& out, const Path& path);
Path ReadPath(ByteReader& in);

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_PATHS_H */
