/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/rssi-window.h"

#include "wsn/power.h"

#include <algorithm>

namespace mftpubsub
{

RssiWindow::RssiWindow(int64_t length)
    : m_length(length)
{
    m_steps.reserve(8);
}

void
RssiWindow::Clear()
{
    m_first = 0;
    m_steps.clear();
}

float
RssiWindow::Read(int64_t now) const
{
    constexpr float nothing = -200.0F;
    const int64_t oldest = now - m_length;
    float rssi = nothing;
    int64_t end = now;
    for (size_t i = m_steps.size(); i > m_first && end > oldest; --i)
    {
        const Step& step = m_steps[i - 1];
        const int64_t share = end - std::max(step.start, oldest);
        const auto steps = static_cast<uint32_t>(share * RSSI_WINDOW_STEPS / m_length);
        rssi = AddPowerDbm(rssi, step.powerDbm + WindowShareDb(steps));
        end = step.start;
    }
    return rssi;
}

} // namespace mftpubsub
