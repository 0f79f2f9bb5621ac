/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "control.h"

#include "content/content-codec.h"
#include "json/json-reader.h"
#include "json/json-writer.h"
#include "live/hex.h"
#include "utf8.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

namespace mftpubsub::live
{

namespace
{

using std::chrono::steady_clock;

constexpr int MOST_CLIENTS = 64;
constexpr size_t LONGEST_LINE = 1 << 18; //!< a payload of 2^16 bytes in hex, and attributes
constexpr size_t MOST_TOLD = 1 << 16;    //!< who is told so much is to read it before it asks on
constexpr int LINES_A_ROUND = 32;        //!< of a client; then the node hears and sends
constexpr int SOCKET_BYTES = 4096;       //!< about what a program that dies has not read
constexpr auto PATIENCE = std::chrono::seconds(5); //!< with who keeps others waiting for events

using Attributes = std::map<std::string, Value>;
using Counters = std::map<std::string, uint64_t>;

[[noreturn]] void
Fail(const std::string& what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

/// @return what is at @p path itself, behind no link; none if there is nothing
std::optional<struct stat>
LookAt(const std::string& path)
{
    struct stat found{};
    return lstat(path.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

sockaddr_un
MakeAddress(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(path, address.sun_path);
    return address;
}

/// @throws std::invalid_argument for a text that is no UTF-8
void
CheckTexts(const Attributes& attributes)
{
    for (const auto& [name, value] : attributes)
    {
        const auto* text = std::get_if<std::string>(&value);
        CheckUtf8(name, "a name in attributes");
        CheckUtf8(text ? *text : "", "attributes." + name);
    }
}

/// @throws std::invalid_argument for a text that is no UTF-8
std::string
ToLine(const Event& event)
{
    const Attributes attributes(event.attributes.begin(), event.attributes.end());
    CheckTexts(attributes);
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
    CheckTexts(attributes);
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

/// @return whether nobody is there; else a program has told its end, and reads on
bool
HasHungUp(const File& socket)
{
    pollfd asked{socket.Get(), 0, 0};
    return poll(&asked, 1, 0) > 0 && (asked.revents & (POLLHUP | POLLERR)) != 0;
}

} // namespace

void
CheckSocket(const std::string& path)
{
    constexpr auto MOST = sizeof(sockaddr_un::sun_path) - 1;
    if (path.size() > MOST)
    {
        throw std::invalid_argument("a path of " + std::to_string(MOST) +
                                    " bytes at most, as Unix has it, not " + path);
    }
    if (const auto found = LookAt(path); found && !S_ISSOCK(found->st_mode))
    {
        throw std::invalid_argument("a path where nothing is, or a socket; " + path +
                                    " is something else, which the daemon does not replace");
    }
}

Control::Control(std::string path, Runner& runner, Trouble& trouble, int poll)
    : m_path(std::move(path)),
      m_runner(runner),
      m_trouble(trouble),
      m_poll(poll),
      m_listening(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
{
    CheckSocket(m_path);
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
    m_bound = LookAt(m_path);
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = m_listening.Get();
    if (epoll_ctl(m_poll, EPOLL_CTL_ADD, m_listening.Get(), &wanted) != 0)
    {
        Fail(m_path);
    }
}

Control::~Control()
{
    const auto found = LookAt(m_path);
    if (found && m_bound && found->st_dev == m_bound->st_dev && found->st_ino == m_bound->st_ino)
    {
        unlink(m_path.c_str());
    }
}

bool
Control::Run()
{
    Accept();
    KeepThose([this](Client& client) { return Serve(client); });
    KeepThose([this](Client& client) { return Write(client); });
    SendAwayWhoStalls();
    HandOver();
    return IsAny([](const Client& client) {
        return client.asksMore && client.told.size() < MOST_TOLD; // else it is to read first
    });
}

bool
Control::IsAny(const std::function<bool(const Client&)>& is) const
{
    return std::ranges::any_of(m_clients, is);
}

void
Control::KeepThose(const std::function<bool(Client&)>& isThere)
{
    for (auto at = m_clients.begin(); at != m_clients.end();)
    {
        at = isThere(*at) ? std::next(at) : m_clients.erase(at);
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
        wanted.data.fd = descriptor;
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &SOCKET_BYTES, sizeof(SOCKET_BYTES));
        if (m_clients.size() < MOST_CLIENTS &&
            epoll_ctl(m_poll, EPOLL_CTL_ADD, descriptor, &wanted) == 0)
        {
            m_clients.emplace_back().socket = std::move(socket);
        }
    }
}

bool
Control::Serve(Client& client)
{
    std::array<char, 4096> block{};
    for (int lines = 0; lines < LINES_A_ROUND && client.told.size() < MOST_TOLD;)
    {
        if (const auto end = client.asked.find('\n'); end != std::string::npos)
        {
            auto line = client.asked.substr(0, end);
            if (line.ends_with('\r')) // some programs end lines in CRLF
            {
                line.pop_back();
            }
            client.told += Answer(client, line) + "\n";
            client.asked.erase(0, end + 1);
            ++lines;
            continue;
        }
        client.asksMore = false;
        if (client.asked.size() > LONGEST_LINE)
        {
            return false;
        }
        const auto size = recv(client.socket.Get(), block.data(), block.size(), 0);
        if (size < 0)
        {
            return errno == EAGAIN || errno == EINTR;
        }
        if (size == 0)
        {
            client.isAtEnd = true;
            return !HasHungUp(client.socket);
        }
        client.asked.append(block.data(), static_cast<size_t>(size));
    }
    client.asksMore = true;
    return true;
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
            auto counters = FromJson<Counters>(m_runner.GetCounters(), "counters");
            counters["unreadable"] = m_unreadable;
            return "ok " + ToJson(counters);
        }
        if (word == "subscribe")
        {
            CheckUtf8(rest, "the filter");
            m_runner.Subscribe(rest);
        }
        else if (word == "unsubscribe")
        {
            m_runner.Unsubscribe(rest);
        }
        else if (word == "events")
        {
            WantEvents(client);
        }
        else if (word == "next")
        {
            WantNext(client);
        }
        else
        {
            return "error publish, subscribe, unsubscribe, events, next or counters, not '" + word +
                   "'";
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
Control::WantEvents(Client& client)
{
    if (IsAny([](const Client& each) { return each.saysNext; }))
    {
        throw std::logic_error("events go to the program that says `next` for each");
    }
    client.wantsEvents = true;
}

void
Control::WantNext(Client& client)
{
    if (client.saysNext && client.wantsEvents)
    {
        throw std::logic_error("the event that `next` has asked for has not come yet");
    }
    if (!client.saysNext &&
        IsAny([](const Client& each) { return each.saysNext || each.wantsEvents; }))
    {
        throw std::logic_error("a program gets events already: `next` is for the only one");
    }
    if (client.saysNext)
    {
        m_runner.AcknowledgeTaken();
    }
    client.saysNext = client.wantsEvents = true;
}

/// The only one may take its time.
void
Control::SendAwayWhoStalls()
{
    if (IsAny([](const Client& each) { return each.wantsEvents && !each.hasEvent; }))
    {
        const auto before = steady_clock::now() - PATIENCE;
        KeepThose([before](Client& each) { return !each.hasEvent || each.since > before; });
    }
}

void
Control::HandOver()
{
    const auto wants = [](const Client& client) { return client.wantsEvents; };
    const auto isTold = [](const Client& client) { return client.hasEvent; };
    while (IsAny(wants) && !IsAny(isTold))
    {
        m_runner.GiveBack(); // who was told is gone
        const auto wire = FromHex(m_runner.Take());
        if (wire.empty())
        {
            return;
        }
        ByteReader in(wire);
        const auto event = ReadEvent(in);
        try
        {
            const auto line = ToLine(*event);
            for (auto& client : m_clients)
            {
                client.told += client.wantsEvents ? line : "";
                client.hasEvent = client.wantsEvents;
                client.since = steady_clock::now();
            }
        }
        catch (const std::invalid_argument& error)
        {
            LeaveOut(event->id, error.what());
        }
        KeepThose([this](Client& client) { return Write(client); });
    }
}

void
Control::LeaveOut(const EventId& event, const std::string& why)
{
    m_runner.AcknowledgeTaken(); // else it would be the next one for ever
    ++m_unreadable;
    const auto publisher = std::to_string(event.publisher);
    m_trouble.Say("unreadable " + publisher,
                  "the event " + publisher + ":" + std::to_string(event.sequence) +
                      " is left out: " + why + "; further ones of node " + publisher +
                      " are counted as `unreadable`");
}

bool
Control::Write(Client& client)
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
    if (std::exchange(client.hasEvent, false))
    {
        client.wantsEvents = !client.saysNext;
        if (!client.saysNext)
        {
            m_runner.AcknowledgeTaken();
        }
    }
    return client.wantsEvents || !client.isAtEnd;
}

} // namespace mftpubsub::live
