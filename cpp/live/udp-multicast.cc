/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/udp-multicast.h"

#include "live/missing-interface.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <net/if.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace mftpubsub::live
{

namespace
{

/// Of each socket before others have their turn.
constexpr int BATCH = 64;
constexpr size_t LARGEST_DATAGRAM = 65536;
/// What may arrive while the process does something else.
constexpr int RECEIVE_BUFFER = 1 << 20;

template <typename Value>
void
Set(const File& socket, int level, int option, const Value& value, const std::string& what)
{
    if (setsockopt(socket.Get(), level, option, &value, sizeof(value)) != 0)
    {
        throw std::system_error(errno, std::generic_category(), what);
    }
}

std::string
NameInterfaces()
{
    std::string names;
    auto* all = if_nameindex();
    for (auto* one = all; one && one->if_index != 0; ++one)
    {
        names += (names.empty() ? "" : ", ") + std::string(one->if_name);
    }
    if_freenameindex(all);
    return names;
}

} // namespace

UdpMulticast::UdpMulticast(const PortSettings& settings)
    : m_settings(settings)
{
    m_group.sin_family = AF_INET;
    m_group.sin_port = htons(settings.port);
    if (inet_pton(AF_INET, settings.group.c_str(), &m_group.sin_addr) != 1 ||
        !IN_MULTICAST(ntohl(m_group.sin_addr.s_addr)))
    {
        throw std::invalid_argument("port.group: '" + settings.group +
                                    "' is no IPv4 multicast address (224.0.0.0 to "
                                    "239.255.255.255; sites have 239.x.y.z)");
    }
    if (settings.port == 0)
    {
        throw std::invalid_argument("port.port: ports are 1 to 65535");
    }
    if (settings.interfaces.empty())
    {
        throw std::invalid_argument("port.interfaces: name at least one of " + NameInterfaces());
    }
    for (const auto& interface : settings.interfaces)
    {
        if (if_nametoindex(interface.c_str()) == 0)
        {
            throw MissingInterface("port.interfaces: there is no '" + interface +
                                   "'; this machine has " + NameInterfaces());
        }
        auto& link = m_links.emplace_back();
        link.interface = interface;
        Open(link);
    }
}

void
UdpMulticast::Open(Link& link) const
{
    const auto& name = link.interface;
    link.index = if_nametoindex(name.c_str());
    link.socket = File(socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!link.socket.IsOpen())
    {
        throw std::system_error(errno, std::generic_category(), "a socket on " + name);
    }
    Set(link.socket, SOL_SOCKET, SO_REUSEADDR, 1, name);
    Set(link.socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, name);
    if (bind(link.socket.Get(), reinterpret_cast<const sockaddr*>(&m_group), sizeof(m_group)) != 0)
    {
        throw std::system_error(errno,
                                std::generic_category(),
                                m_settings.group + " port " + std::to_string(m_settings.port));
    }
    ip_mreqn membership{};
    membership.imr_multiaddr = m_group.sin_addr;
    membership.imr_ifindex = static_cast<int>(link.index);
    Set(link.socket, IPPROTO_IP, IP_MULTICAST_ALL, 0, name);
    Set(link.socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership, "multicast on " + name);
    Set(link.socket, IPPROTO_IP, IP_MULTICAST_IF, membership, "multicast on " + name);
    Set(link.socket, IPPROTO_IP, IP_MULTICAST_LOOP, 1, name);
    Set(link.socket, IPPROTO_IP, IP_MULTICAST_TTL, int{m_settings.hops}, name);
}

bool
UdpMulticast::Send(std::span<const uint8_t> datagram)
{
    bool isSent = false;
    for (const auto& link : m_links)
    {
        const auto sent = link.socket.IsOpen() ? sendto(link.socket.Get(),
                                                        datagram.data(),
                                                        datagram.size(),
                                                        0,
                                                        reinterpret_cast<const sockaddr*>(&m_group),
                                                        sizeof(m_group))
                                               : -1;
        isSent |= sent == static_cast<ssize_t>(datagram.size());
    }
    return isSent;
}

void
UdpMulticast::Receive(const std::function<void(std::span<const uint8_t>)>& take)
{
    static thread_local std::array<uint8_t, LARGEST_DATAGRAM> block;
    for (const auto& link : m_links)
    {
        for (int left = link.socket.IsOpen() ? BATCH : 0; left > 0; --left)
        {
            const auto size = recv(link.socket.Get(), block.data(), block.size(), 0);
            if (size < 0)
            {
                break; // nothing is left, or the interface is down: more may come later
            }
            take(std::span<const uint8_t>(block.data(), static_cast<size_t>(size)));
        }
    }
}

std::vector<int>
UdpMulticast::Mend()
{
    std::vector<int> fresh;
    for (auto& link : m_links)
    {
        const auto index = if_nametoindex(link.interface.c_str());
        if (index == link.index || index == 0)
        {
            continue;
        }
        try
        {
            Open(link);
            fresh.push_back(link.socket.Get());
        }
        catch (const std::system_error&)
        {
            link.index = 0; // it is not ready yet
        }
    }
    return fresh;
}

std::vector<int>
UdpMulticast::GetDescriptors() const
{
    std::vector<int> descriptors;
    for (const auto& link : m_links)
    {
        descriptors.push_back(link.socket.Get());
    }
    return descriptors;
}

} // namespace mftpubsub::live
