/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LIVE_UDP_MULTICAST_H
#define MFTPUBSUB_LIVE_UDP_MULTICAST_H

#include "live/file.h"
#include "live/settings.h"

#include <cstdint>
#include <functional>
#include <netinet/in.h>
#include <span>
#include <string>
#include <vector>

namespace mftpubsub::live
{

/**
 * A UDP multicast group on some interfaces of this machine: each has a socket of its own, so that a
 * datagram goes out on each and comes in from each.
 */
class UdpMulticast
{
  public:
    /**
     * Joins the group on each interface.
     *
     * @throws MissingInterface for an interface that is not there
     * @throws std::invalid_argument for a group that cannot be
     * @throws std::system_error for what the system refuses
     */
    explicit UdpMulticast(const PortSettings& settings);

    /// @return whether an interface has taken the datagram
    bool Send(std::span<const uint8_t> datagram);

    /// Calls @p take with what has arrived, some datagrams of each socket at most.
    void Receive(const std::function<void(std::span<const uint8_t>)>& take);

    /**
     * Opens sockets anew of interfaces that were away and are back, as a radio's that was
     * unplugged.
     *
     * @return the descriptors that are new
     */
    std::vector<int> Mend();

    std::vector<int> GetDescriptors() const;

  private:
    struct Link
    {
        std::string interface;
        unsigned index{0}; //!< of the interface when the socket was opened
        File socket;
    };

    void Open(Link& link) const;

    PortSettings m_settings;
    sockaddr_in m_group{};
    std::vector<Link> m_links;
};

} // namespace mftpubsub::live

#endif /* MFTPUBSUB_LIVE_UDP_MULTICAST_H */
