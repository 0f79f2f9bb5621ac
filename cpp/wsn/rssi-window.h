/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_RSSI_WINDOW_H
#define MFTPUBSUB_WSN_RSSI_WINDOW_H

#include <cstdint>
#include <limits>
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
        if (m_current.start <= now - m_length) // mostly
        {
            m_older.clear();
        }
        else
        {
            KeepPrevious(now - m_length);
        }
        m_previous = m_current;
        m_current = {now, powerDbm};
    }

    /**
     * @param now time, ns
     * @return RSSI, dBm
     */
    float Read(int64_t now) const;

    /// @return whether there is no step
    bool IsEmpty() const
    {
        return m_current.start == NOTHING.start;
    }

    /// @return the total power since the last step, dBm
    float Current() const
    {
        return m_current.powerDbm;
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

    /// What was before the first step adds nothing to any power.
    static constexpr Step NOTHING{std::numeric_limits<int64_t>::min(),
                                  -std::numeric_limits<float>::infinity()};

    /// Puts the previous step to the older ones; without room those that ended before @p oldest go.
    void KeepPrevious(int64_t oldest);

    int64_t m_length; //!< length of the window, ns
    // Seldom does a window hold more than two steps, and they need no memory of their own.
    Step m_current{NOTHING};
    Step m_previous{NOTHING};
    std::vector<Step> m_older; //!< oldest first
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_RSSI_WINDOW_H */
