/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/frame-sender.h"

#include <algorithm>
#include <utility>

namespace mftpubsub::mesh
{

namespace
{

/// Between frames, so that others get a word in.
constexpr auto MAX_GAP = Seconds(0.003);
/// The share of the newest wait in the average.
constexpr double WEIGHT = 0.125;
/// In the MAC, without load.
constexpr double USUAL_WAIT_SECONDS = 0.010;
constexpr double MAX_LOAD = 30;

} // namespace

FrameSender::FrameSender(Uniform uniform)
    : m_uniform(std::move(uniform))
{
}

void
FrameSender::HandedOver(Instant now)
{
    m_isBusy = true;
    m_handedOverAt = now;
}

void
FrameSender::Transmitted(Instant now, Instant airTime)
{
    const std::chrono::duration<double> wait = now - m_handedOverAt;
    m_waitSeconds += WEIGHT * (wait.count() - m_waitSeconds);
    Free(now + airTime);
}

void
FrameSender::Dropped(Instant now)
{
    Free(now);
}

void
FrameSender::Free(Instant at)
{
    m_isBusy = false;
    m_freeAt = at + Times(MAX_GAP, m_uniform());
}

double
FrameSender::GetLoad() const
{
    return std::clamp(m_waitSeconds / USUAL_WAIT_SECONDS, 1.0, MAX_LOAD);
}

} // namespace mftpubsub::mesh
