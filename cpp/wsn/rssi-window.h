/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RSSI_WINDOW_H
#define MFTPUBSUB_WSN_RSSI_WINDOW_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mftpubsub
{

/**
 * History of the total power at a radio, and the RSSI that follows from it (BEHAVIOUR point 9): the
 * average over a window of 8 symbols, in which each stretch of constant power counts by whole
 * sixteenths of the window and the terms are added by the staircase, newest first.
 */
class RssiWindow
{
  public:
    /// @param length length of the window, ns
    explicit RssiWindow(int64_t length);

    /// Forgets everything.
    void Clear();

    /**
     * Appends a step of the total power.
     *
     * @param now time, ns, not before the last step
     * @param powerDbm total power from now on, dBm
     */
    void Push(int64_t now, float powerDbm)
    {
        const int64_t oldest = now - m_length;
        while (m_first + 1 < m_steps.size() && m_steps[m_first + 1].start <= oldest)
        {
            ++m_first;
        }
        if (m_first > 0 &&
            m_first + 1 == m_steps.size()) // mostly, and it keeps memory in use small
        {
            m_steps[0] = m_steps[m_first];
            m_steps.resize(1);
            m_first = 0;
        }
        if (m_steps.size() == m_steps.capacity() && m_first > 0)
        {
            m_steps.erase(m_steps.begin(), m_steps.begin() + static_cast<std::ptrdiff_t>(m_first));
            m_first = 0;
        }
        m_steps.push_back({now, powerDbm});
    }

    /**
     * @param now time, ns
     * @return RSSI, dBm
     */
    float Read(int64_t now) const;

    /// @return the total power since the last step, dBm
    float Current() const
    {
        return m_steps.back().powerDbm;
    }

    /// Lets the processor fetch the steps before they are needed.
    void Prefetch() const
    {
        __builtin_prefetch(m_steps.data());
    }

    /// @return length of the window, ns
    int64_t GetLength() const
    {
        return m_length;
    }

  private:
    /// From this time on, that power.
    struct Step
    {
        int64_t start;  //!< ns
        float powerDbm; //!< dBm
    };

    int64_t m_length;          //!< length of the window, ns
    size_t m_first{0};         //!< the steps before this one have left the window
    std::vector<Step> m_steps; //!< oldest first
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_RSSI_WINDOW_H */
