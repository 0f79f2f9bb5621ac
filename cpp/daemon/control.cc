/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "control.h"

#include "content/content-codec.h"
#include "json/json-reader.h"
#include "json/json-writer.h"
#include "live/hex.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace mftpubsub::live
{

namespace
{

constexpr int MOST_CLIENTS = 64;
constexpr size_t LONGEST_LINE = 1 << 18; //!< a payload of 2^16 bytes in hex, and attributes
constexpr size_t MOST_TOLD = 1 << 20;    //!< who takes no more for so long is sent away

using Attributes = std::map<std::string, Value>;

[[noreturn]] void
Fail(const std::string& what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_un
MakeAddress(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path))
    {
        throw std::invalid_argument("socket: the path " + path + " is too long for a Unix socket");
    }
    std::ranges::copy(path, address.sun_path);
    return address;
}

std::string
ToLine(const Event& event)
{
    const Attributes attributes(event.attributes.begin(), event.attributes.end());
    auto payload = event.payload;
    payload.resize(event.payloadBytes);
    return "event " + std::to_string(event.id.publisher) + " " + std::to_string(event.id.sequence) +
           " " + ToJson(attributes) + " " + ToHex(payload) + "\n";
}

/// @return an event, encoded and in hex, of `{...} PAYLOAD`
std::string
ToWire(const std::string& told)
{
    const auto end = told.rfind('}');
    if (end == std::string::npos)
    {
        throw std::invalid_argument("publish {\"temp\": 21.5} PAYLOAD-IN-HEX");
    }
    const auto attributes = FromJson<Attributes>(told.substr(0, end + 1), "attributes");
    auto payload = told.substr(end + 1);
    std::erase(payload, ' ');
    Event event;
    event.attributes.assign(attributes.begin(), attributes.end());
    event.SetPayload(FromHex(payload));
    if (attributes.size() > UINT8_MAX)
    {
        throw std::invalid_argument("an event has 255 attributes at most");
    }
    ByteWriter out;
    WriteEvent(out, event);
    return ToHex(out.Take());
}

} // namespace

Control::Control(std::string path, Runner& runner, int poll)
    : m_path(std::move(path)),
      m_runner(runner),
      m_poll(poll),
      m_listening(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
{
    const auto address = MakeAddress(m_path);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    const File probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(probe.Get(), where, sizeof(address)) == 0)
    {
        throw std::runtime_error(m_path + ": another daemon has this socket");
    }
    unlink(m_path.c_str());
    if (bind(m_listening.Get(), where, sizeof(address)) != 0 ||
        listen(m_listening.Get(), MOST_CLIENTS) != 0)
    {
        Fail(m_path);
    }
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    if (epoll_ctl(m_poll, EPOLL_CTL_ADD, m_listening.Get(), &wanted) != 0)
    {
        Fail(m_path);
    }
}

Control::~Control()
{
    unlink(m_path.c_str());
}

void
Control::Run()
{
    Accept();
    KeepThose([this](Client& client) { return Serve(client); });
    HandOver();
    KeepThose([this](Client& client) { return Write(client); });
}

void
Control::KeepThose(const std::function<bool(Client&)>& isThere)
{
    for (auto at = m_clients.begin(); at != m_clients.end();)
    {
        at = isThere(at->second) ? std::next(at) : m_clients.erase(at);
    }
}

void
Control::Accept()
{
    while (true)
    {
        const auto descriptor =
            accept4(m_listening.Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0)
        {
            return;
        }
        File socket(descriptor);
        epoll_event wanted{};
        wanted.events = EPOLLIN | EPOLLOUT | EPOLLET;
        if (m_clients.size() < MOST_CLIENTS &&
            epoll_ctl(m_poll, EPOLL_CTL_ADD, descriptor, &wanted) == 0)
        {
            m_clients[descriptor].socket = std::move(socket);
        }
    }
}

bool
Control::Serve(Client& client)
{
    std::array<char, 4096> block{};
    while (true)
    {
        const auto size = recv(client.socket.Get(), block.data(), block.size(), 0);
        if (size < 0)
        {
            return errno == EAGAIN || errno == EINTR;
        }
        if (size == 0)
        {
            return false;
        }
        client.asked.append(block.data(), static_cast<size_t>(size));
        for (auto end = client.asked.find('\n'); end != std::string::npos;
             end = client.asked.find('\n'))
        {
            client.told += Answer(client, client.asked.substr(0, end)) + "\n";
            client.asked.erase(0, end + 1);
        }
        if (client.asked.size() > LONGEST_LINE || client.told.size() > MOST_TOLD)
        {
            return false;
        }
    }
}

std::string
Control::Answer(Client& client, const std::string& line)
{
    const auto blank = std::min(line.find(' '), line.size());
    const auto word = line.substr(0, blank);
    const auto rest = line.substr(std::min(blank + 1, line.size()));
    try
    {
        if (word == "publish")
        {
            return "ok " + std::to_string(m_runner.Publish(ToWire(rest)));
        }
        if (word == "counters")
        {
            return "ok " + m_runner.GetCounters();
        }
        if (word == "subscribe")
        {
            m_runner.Subscribe(rest);
        }
        else if (word == "unsubscribe")
        {
            m_runner.Unsubscribe(rest);
        }
        else if (word == "events")
        {
            client.wantsEvents = true;
        }
        else
        {
            return "error publish, subscribe, unsubscribe, events or counters, not '" + word + "'";
        }
        return "ok";
    }
    catch (const std::system_error&)
    {
        throw; // the store cannot be written: the daemon ends
    }
    catch (const std::exception& error)
    {
        return std::string("error ") + error.what();
    }
}

void
Control::HandOver()
{
    const auto wants = [](const auto& entry) { return entry.second.wantsEvents; };
    const auto isFull = [&wants](const auto& entry) {
        return wants(entry) && entry.second.told.size() > MOST_TOLD / 2;
    };
    while (std::ranges::any_of(m_clients, wants) && std::ranges::none_of(m_clients, isFull))
    {
        const auto wire = FromHex(m_runner.Take());
        if (wire.empty())
        {
            return;
        }
        ByteReader in(wire);
        const auto line = ToLine(*ReadEvent(in));
        for (auto& [descriptor, client] : m_clients)
        {
            client.told += client.wantsEvents ? line : "";
        }
    }
}

bool
Control::Write(Client& client) const
{
    while (!client.told.empty())
    {
        const auto size =
            send(client.socket.Get(), client.told.data(), client.told.size(), MSG_NOSIGNAL);
        if (size < 0)
        {
            return errno == EAGAIN || errno == EINTR;
        }
        client.told.erase(0, static_cast<size_t>(size));
    }
    return true;
}

} // namespace mftpubsub::live
