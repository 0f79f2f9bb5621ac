/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_WAITING_FRAMES_H
#define MFTPUBSUB_HOSTS_WAITING_FRAMES_H

#include "content/node-id.h"

#include "ns3/packet.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace mftpubsub
{

/// A frame given to a radio that sleeps.
struct WaitingFrame
{
    ns3::Ptr<ns3::Packet> frame;
    NodeId to;
    uint16_t protocol;
};

/// The frames that wait for a radio's waking up, in the order given.
class WaitingFrames
{
  public:
    explicit WaitingFrames(std::size_t most)
        : m_most(most)
    {
    }

    /// @return whether there was room
    bool Add(const WaitingFrame& waiting)
    {
        if (m_frames.size() == m_most)
        {
            return false;
        }
        m_frames.push_back(waiting);
        return true;
    }

    /// @return all of them, of which none waits any more
    std::vector<WaitingFrame> Take()
    {
        return std::exchange(m_frames, {});
    }

    void Clear()
    {
        m_frames.clear();
    }

  private:
    std::size_t m_most;
    std::vector<WaitingFrame> m_frames;
};

} // namespace mftpubsub

#endif // MFTPUBSUB_HOSTS_WAITING_FRAMES_H
