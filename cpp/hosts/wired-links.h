/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WIRED_LINKS_H
#define MFTPUBSUB_HOSTS_WIRED_LINKS_H

#include "content/node-id.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace mftpubsub
{

/// What a wired link is like, in both directions.
struct WiredLinkOptions
{
    double bitsPerSecond{10e6}; //!< C V-A: 10 Mbit/s
    ns3::Time delay{};          //!< propagation; C has none
};

/**
 * Wired overlay links between nodes, on ns-3's scheduler.
 *
 * While it lives a link is bidirectional, without errors, and FIFO in each direction: a message
 * leaves when all before it have left, which takes its bits / bit rate, and arrives a propagation
 * delay later. Each time that a link comes up it is a new incarnation. What is on a link when it
 * breaks is lost, also if the same two nodes are linked again by the time it would have arrived. Of
 * two messages that arrive at one instant the one sent first is first.
 *
 * Messages out of band take one hop between any two nodes and always arrive.
 *
 * It must outlive what it has scheduled.
 *
 * @tparam Message what travels; moved from the sender to the receiver
 */
template <typename Message>
class WiredLinks
{
  public:
    /// Takes a message that has arrived over the link from @p from, or out of band.
    using Receiver = std::function<void(NodeId to, NodeId from, Message message)>;

    explicit WiredLinks(Receiver receiver)
        : m_receiver(std::move(receiver))
    {
    }

    WiredLinks(const WiredLinks&) = delete;
    WiredLinks& operator=(const WiredLinks&) = delete;

    /// Brings a link up. @throws std::invalid_argument if it is up, or is none
    void Up(NodeId one, NodeId other, const WiredLinkOptions& options = {})
    {
        if (one == other || !(options.bitsPerSecond > 0) || options.delay.IsStrictlyNegative())
        {
            throw std::invalid_argument("a link has two ends, a bit rate and no negative delay");
        }
        auto& link = m_links[Key(one, other)];
        if (link.isUp)
        {
            throw std::invalid_argument("this link is up already");
        }
        link = {true, link.incarnation + 1, options, {}};
    }

    /// Breaks a link. @throws std::invalid_argument if it is not up
    void Down(NodeId one, NodeId other)
    {
        const auto found = m_links.find(Key(one, other));
        if (found == m_links.end() || !found->second.isUp)
        {
            throw std::invalid_argument("this link is not up");
        }
        found->second.isUp = false;
    }

    /// @return how often this link has come up, if it is up, else 0
    uint32_t GetIncarnation(NodeId one, NodeId other) const
    {
        const auto found = m_links.find(Key(one, other));
        return found != m_links.end() && found->second.isUp ? found->second.incarnation : 0;
    }

    bool IsUp(NodeId one, NodeId other) const
    {
        return GetIncarnation(one, other) != 0;
    }

    /**
     * Sends over the link between the two nodes.
     *
     * @param bits the message's size
     * @return false if there is no such link now: nothing was sent
     */
    bool Send(NodeId from, NodeId to, Message message, double bits)
    {
        const auto found = m_links.find(Key(from, to));
        if (found == m_links.end() || !found->second.isUp)
        {
            return false;
        }
        Link& link = found->second;
        const auto now = ns3::Simulator::Now();
        auto& isFreeAt = link.isFreeAt[from < to ? 0 : 1];
        isFreeAt = std::max(isFreeAt, now) + ns3::Seconds(bits / link.options.bitsPerSecond);
        const auto wait = isFreeAt + link.options.delay - now;
        auto deliver = [this,
                        &link,
                        incarnation = link.incarnation,
                        from,
                        to,
                        held = std::move(message)]() mutable {
            if (link.isUp && link.incarnation == incarnation)
            {
                m_receiver(to, from, std::move(held));
            }
        };
        ns3::Simulator::Schedule(wait, std::move(deliver));
        return true;
    }

    /// Sends past all links: it arrives @p delay later, whatever becomes of any link.
    void SendOutOfBand(NodeId from, NodeId to, Message message, ns3::Time delay)
    {
        ns3::Simulator::Schedule(delay, [this, from, to, held = std::move(message)]() mutable {
            m_receiver(to, from, std::move(held));
        });
    }

  private:
    struct Link
    {
        bool isUp{false};
        uint32_t incarnation{0};
        WiredLinkOptions options;
        ns3::Time isFreeAt[2]; //!< the direction to the higher id, and to the lower
    };

    static uint32_t Key(NodeId one, NodeId other)
    {
        const auto [low, high] = std::minmax(one, other);
        return uint32_t{low} << 16 | high;
    }

    Receiver m_receiver;
    std::unordered_map<uint32_t, Link> m_links; //!< all that ever were: events refer to them
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_WIRED_LINKS_H */
