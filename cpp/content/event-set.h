/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_EVENT_SET_H
#define MFTPUBSUB_CONTENT_EVENT_SET_H

#include "content/event.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mftpubsub
{

/// Events by their ids. Publishers number theirs one after the other: where many of them are wanted
/// each takes a bit, where few are two bytes.
class EventSet
{
  public:
    /// @return whether @p event was not there before
    bool Insert(EventId event);

    bool Contains(EventId event) const;

    /// @return the ids, ascending, as text: "publisher.sequence " each
    std::string GetText() const;

  private:
    /// Of SIZE numbers in a row.
    class Block
    {
      public:
        static constexpr uint32_t SIZE = 4096;

        bool Insert(uint16_t number);

        bool Contains(uint16_t number) const;

        std::vector<uint16_t> Get() const;

      private:
        void UseBits();

        std::vector<uint16_t> m_few;  //!< ascending; nothing once there are bits
        std::vector<uint64_t> m_bits; //!< up to the highest
    };

    std::unordered_map<EventId, Block> m_blocks; //!< by publisher and block's number
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_EVENT_SET_H */
