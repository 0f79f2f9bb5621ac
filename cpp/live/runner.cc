/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "live/runner.h"

#include "content/content-codec.h"
#include "json/json-reader.h"
#include "json/json-writer.h"
#include "live/hex.h"
#include "live/make-station.h"
#include "live/node.h"
#include "live/udp-multicast.h"
#include "protocols/own/hook-station.h"

#include <cerrno>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <system_error>
#include <unistd.h>

namespace mftpubsub::live
{

namespace
{

constexpr Instant MEND_INTERVAL = mesh::Seconds(2.0);
constexpr int64_t NS_PER_S = 1'000'000'000;

mesh::StationMaker
MakeMaker(const Settings& settings, uint64_t hooks)
{
    if (hooks == 0)
    {
        return nullptr;
    }
    if (settings.protocol == PYTHON_BROKERS)
    {
        const auto* of = reinterpret_cast<const BrokerHooks*>(hooks);
        return [of, settings](mesh::StationSeat seat) {
            return MakeOwnTree(settings, std::move(seat), *of);
        };
    }
    const auto* of = reinterpret_cast<const mesh::StationHooks*>(hooks);
    return [of](mesh::StationSeat seat) {
        return std::make_unique<mesh::HookStation>(std::move(seat), *of);
    };
}

File
Checked(int descriptor, const char* what)
{
    if (descriptor < 0)
    {
        throw std::system_error(errno, std::generic_category(), what);
    }
    return File(descriptor);
}

} // namespace

struct Runner::Parts
{
    Parts(const Settings& settings, uint64_t hooks)
        : start(ReadClocks()),
          port(settings.port),
          node(
              settings,
              MakeMaker(settings, hooks),
              [this](std::span<const uint8_t> datagram) { return port.Send(datagram); },
              start),
          poll(Checked(epoll_create1(EPOLL_CLOEXEC), "epoll")),
          timer(Checked(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd"))
    {
        Watch(timer.Get());
        for (const auto descriptor : port.GetDescriptors())
        {
            Watch(descriptor);
        }
        mendAt = MEND_INTERVAL;
        node.Start(Now());
        Settle();
    }

    Instant Now() const
    {
        return ReadSinceBoot() - start.sinceBoot;
    }

    void Watch(int descriptor)
    {
        epoll_event wanted{};
        wanted.events = EPOLLIN;
        wanted.data.fd = descriptor;
        if (epoll_ctl(poll.Get(), EPOLL_CTL_ADD, descriptor, &wanted) != 0)
        {
            throw std::system_error(errno, std::generic_category(), "epoll");
        }
    }

    /// After each input: the trace is told and the clock set.
    void Settle()
    {
        node.FlushTrace();
        const auto due = std::min(node.NextTimer().value_or(mendAt), mendAt);
        const auto at = std::max((start.sinceBoot + due).count(), int64_t{1});
        itimerspec when{};
        when.it_value.tv_sec = at / NS_PER_S;
        when.it_value.tv_nsec = at % NS_PER_S;
        timerfd_settime(timer.Get(), TFD_TIMER_ABSTIME, &when, nullptr);
    }

    void Run()
    {
        uint64_t expirations = 0;
        if (read(timer.Get(), &expirations, sizeof(expirations)) > 0)
        {
            if (Now() >= mendAt)
            {
                mendAt = Now() + MEND_INTERVAL;
                for (const auto descriptor : port.Mend())
                {
                    Watch(descriptor);
                }
            }
            node.Expire(Now());
        }
        port.Receive([this](std::span<const uint8_t> datagram) { node.Hear(Now(), datagram); });
        Settle();
    }

    Clocks start;
    UdpMulticast port;
    Node node;
    File poll;
    File timer;
    Instant mendAt{0};
};

Runner::Runner(const std::string& settings, uint64_t hooks)
    : m_parts(std::make_unique<Parts>(FromJson<Settings>(settings, "settings"), hooks))
{
}

Runner::~Runner() = default;

int
Runner::GetDescriptor() const
{
    return m_parts->poll.Get();
}

void
Runner::Run()
{
    m_parts->Run();
}

uint32_t
Runner::Publish(const std::string& event)
{
    const auto bytes = FromHex(event);
    ByteReader in(bytes);
    const auto sequence = m_parts->node.Publish(m_parts->Now(), *ReadEvent(in));
    m_parts->Settle();
    return sequence;
}

void
Runner::Subscribe(const std::string& filter)
{
    m_parts->node.Subscribe(m_parts->Now(), Filter::Parse(filter));
    m_parts->Settle();
}

void
Runner::Unsubscribe(const std::string& filter)
{
    m_parts->node.Unsubscribe(m_parts->Now(), Filter::Parse(filter));
    m_parts->Settle();
}

std::vector<std::string>
Runner::GetFilters() const
{
    return m_parts->node.GetFilters();
}

const std::vector<std::string>&
Runner::GetLeftOut() const
{
    return m_parts->node.GetLeftOut();
}

std::string
Runner::Take()
{
    const auto event = m_parts->node.Take();
    if (!event)
    {
        return {};
    }
    ByteWriter out;
    WriteEvent(out, *event);
    return ToHex(out.Take());
}

void
Runner::AcknowledgeTaken()
{
    m_parts->node.AcknowledgeTaken();
}

void
Runner::GiveBack()
{
    m_parts->node.GiveBack();
}

void
Runner::Stop(bool isDone)
{
    m_parts->node.Stop(m_parts->Now(), isDone);
}

std::string
Runner::GetCounters() const
{
    return ToJson(m_parts->node.GetCounters());
}

void
Runner::SetReach(const std::vector<uint16_t>& nodes)
{
    m_parts->node.GetEther().reach.emplace(nodes.begin(), nodes.end());
}

void
Runner::SetLoss(double share)
{
    m_parts->node.GetEther().loss = share;
}

} // namespace mftpubsub::live
