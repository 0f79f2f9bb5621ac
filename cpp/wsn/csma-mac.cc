/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/csma-mac.h"

#include "wsn/radio.h"
#include "wsn/wsn-net-device.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>

namespace mftpubsub
{

NS_LOG_COMPONENT_DEFINE("WsnCsmaMac");

NS_OBJECT_ENSURE_REGISTERED(CsmaMac);

ns3::TypeId
CsmaMac::GetTypeId()
{
    static ns3::TypeId tid =
        ns3::TypeId("mftpubsub::CsmaMac")
            .SetParent<ns3::Object>()
            .SetGroupName("Mftpubsub")
            .AddConstructor<CsmaMac>()
            .AddAttribute("BackoffBase",
                          "The k-th busy assessment in a row waits U(0, 1) * k times this",
                          ns3::TimeValue(ns3::MilliSeconds(16)),
                          ns3::MakeTimeAccessor(&CsmaMac::m_backoffBase),
                          ns3::MakeTimeChecker(ns3::NanoSeconds(1)))
            .AddAttribute("RetryDelay",
                          "Wait before asking again when an assessment was not valid",
                          ns3::TimeValue(ns3::MicroSeconds(128)),
                          ns3::MakeTimeAccessor(&CsmaMac::m_retryDelay),
                          ns3::MakeTimeChecker(ns3::NanoSeconds(1)))
            .AddAttribute("ChainFraction",
                          "Share of a frame's air time after which the next one is handed over",
                          ns3::DoubleValue(0.95),
                          ns3::MakeDoubleAccessor(&CsmaMac::m_chainFraction),
                          ns3::MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("BufferSize",
                          "Frames that wait in the MAC",
                          ns3::UintegerValue(32),
                          ns3::MakeUintegerAccessor(&CsmaMac::m_bufferSize),
                          ns3::MakeUintegerChecker<uint32_t>(1));
    return tid;
}

CsmaMac::CsmaMac()
    : m_backoff(ns3::CreateObject<ns3::UniformRandomVariable>())
{
}

CsmaMac::~CsmaMac() = default;

void
CsmaMac::DoDispose()
{
    m_queue.clear();
    m_radio = nullptr;
    m_device = nullptr;
    ns3::Object::DoDispose();
}

void
CsmaMac::Connect(Radio* radio, WsnNetDevice* device)
{
    m_radio = radio;
    m_device = device;
}

void
CsmaMac::SetClockFactor(double factor)
{
    m_clockFactor = factor;
}

int64_t
CsmaMac::AssignStreams(int64_t stream)
{
    m_backoff->SetStream(stream);
    return 1;
}

void
CsmaMac::SetTimer(ns3::Time delay, void (CsmaMac::*handler)())
{
    // Rounded down: a clock that is fast by any amount asks before a window of 128 us is full
    // (point 27).
    const double ns = static_cast<double>(delay.GetNanoSeconds()) * m_clockFactor;
    m_timer = ns3::Simulator::Schedule(ns3::NanoSeconds(static_cast<int64_t>(ns)), handler, this);
}

bool
CsmaMac::Send(WsnFrame frame)
{
    if (m_queue.size() >= m_bufferSize)
    {
        ++m_overflows;
        m_device->NotifyMacDrop(frame);
        return false;
    }
    frame.queuedAt = ns3::Simulator::Now().GetNanoSeconds();
    m_queue.push_back(std::move(frame));
    if (m_state == IDLE)
    {
        // An event of its own: packets that arrive at the same instant queue up first (point 22).
        m_state = SENSING;
        m_timer = ns3::Simulator::ScheduleNow(&CsmaMac::Sense, this);
    }
    return true;
}

void
CsmaMac::Reset()
{
    NS_LOG_FUNCTION(this);
    m_timer.Cancel();
    for (const auto& frame : m_queue)
    {
        m_device->NotifyMacDrop(frame);
    }
    m_queue.clear();
    m_backoffs = 0;
    m_state = IsPaused() ? PAUSED : IDLE;
}

void
CsmaMac::SetPaused(bool paused)
{
    NS_LOG_FUNCTION(this << paused);
    if (paused == IsPaused())
    {
        return;
    }
    m_timer.Cancel();
    m_backoffs = 0;
    m_state = paused ? PAUSED : IDLE;
    if (!paused && !m_queue.empty())
    {
        m_state = SENSING;
        m_timer = ns3::Simulator::ScheduleNow(&CsmaMac::Sense, this);
    }
}

void
CsmaMac::Sense()
{
    NS_LOG_FUNCTION(this);
    switch (m_radio->AssessChannel())
    {
    case ChannelAssessment::CLEAR:
        m_backoffs = 0;
        m_state = SENDING;
        SendNext();
        break;
    case ChannelAssessment::BUSY: {
        ++m_backoffs;
        const double ns = m_backoff->GetValue() * m_backoffs *
                          static_cast<double>(m_backoffBase.GetNanoSeconds());
        SetTimer(ns3::NanoSeconds(static_cast<int64_t>(ns)), &CsmaMac::Sense);
        break;
    }
    case ChannelAssessment::NOT_VALID:
        SetTimer(m_retryDelay, &CsmaMac::Sense);
        break;
    }
}

void
CsmaMac::SendNext()
{
    if (m_queue.empty())
    {
        m_state = IDLE;
        return;
    }
    WsnFrame frame = std::move(m_queue.front());
    m_queue.pop_front();
    const auto airTime =
        static_cast<double>(m_radio->GetAirTime(frame.bytesOnAir).GetNanoSeconds());
    ++m_sent;
    if (!m_radio->Send(frame))
    {
        m_device->NotifyMacDrop(frame);
    }
    SetTimer(ns3::NanoSeconds(std::llround(airTime * m_chainFraction)), &CsmaMac::SendNext);
}

} // namespace mftpubsub
