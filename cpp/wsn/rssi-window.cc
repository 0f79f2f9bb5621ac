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
}

void
RssiWindow::Clear()
{
    m_older.clear();
    m_previous = NOTHING;
    m_current = NOTHING;
}

void
RssiWindow::KeepPrevious(int64_t oldest)
{
    if (m_older.size() == m_older.capacity())
    {
        const auto within =
            std::find_if(m_older.begin(), m_older.end(), [oldest](const Step& step) {
                return step.start > oldest;
            });
        if (within != m_older.begin()) // the one before lasts until it starts
        {
            m_older.erase(m_older.begin(), within - 1);
        }
    }
    m_older.push_back(m_previous);
}

float
RssiWindow::Read(int64_t now) const
{
    constexpr float nothing = -200.0F;
    const int64_t oldest = now - m_length;
    float rssi = nothing;
    int64_t end = now;
    const auto add = [&](const Step& step) {
        if (end > oldest)
        {
            const int64_t share = end - std::max(step.start, oldest);
            const auto steps = static_cast<uint32_t>(share * RSSI_WINDOW_STEPS / m_length);
            rssi = AddPowerDbm(rssi, step.powerDbm + WindowShareDb(steps));
            end = step.start;
        }
    };
    add(m_current);
    add(m_previous);
    std::for_each(m_older.rbegin(), m_older.rend(), add);
    return rssi;
}

} // namespace mftpubsub
