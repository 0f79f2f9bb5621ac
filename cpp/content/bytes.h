/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_BYTES_H
#define MFTPUBSUB_CONTENT_BYTES_H

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mftpubsub
{

using Bytes = std::vector<uint8_t>;

/// Bytes that are not an encoding of what was expected.
class DecodeError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Appends integers (big endian) and texts to a byte string.
class ByteWriter
{
  public:
    template <typename T>
    void Put(T value)
    {
        for (int shift = 8 * (sizeof(T) - 1); shift >= 0; shift -= 8)
        {
            m_bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> shift));
        }
    }

    void PutDouble(double value)
    {
        Put(std::bit_cast<uint64_t>(value));
    }

    /// A text, its length first. @throws std::length_error if it has 2^16 bytes or more
    void PutText(std::string_view text)
    {
        if (text.size() > UINT16_MAX)
        {
            throw std::length_error("a text of " + std::to_string(text.size()) +
                                    " bytes does not fit in a message");
        }
        Put(static_cast<uint16_t>(text.size()));
        m_bytes.insert(m_bytes.end(), text.begin(), text.end());
    }

    void PutZeros(size_t count)
    {
        m_bytes.resize(m_bytes.size() + count);
    }

    void PutBytes(std::span<const uint8_t> bytes)
    {
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }

    Bytes Take()
    {
        return std::move(m_bytes);
    }

  private:
    Bytes m_bytes;
};

/// Reads what a ByteWriter wrote. @throws DecodeError at the end of the bytes
class ByteReader
{
  public:
    explicit ByteReader(std::span<const uint8_t> bytes)
        : m_bytes(bytes)
    {
    }

    template <typename T>
    T Get()
    {
        uint64_t value = 0;
        for (const auto byte : Advance(sizeof(T)))
        {
            value = (value << 8) | byte;
        }
        return static_cast<T>(value);
    }

    double GetDouble()
    {
        return std::bit_cast<double>(Get<uint64_t>());
    }

    std::string GetText()
    {
        const auto text = Advance(Get<uint16_t>());
        return {text.begin(), text.end()};
    }

    /// @return the next @p count bytes, which last as long as what is read
    std::span<const uint8_t> GetBytes(size_t count)
    {
        return Advance(count);
    }

    size_t Remaining() const
    {
        return m_bytes.size();
    }

    bool IsAtEnd() const
    {
        return m_bytes.empty();
    }

    /// @throws DecodeError when bytes are left
    void ExpectEnd() const
    {
        if (!IsAtEnd())
        {
            throw DecodeError(std::to_string(m_bytes.size()) +
                              " bytes after the end of the message");
        }
    }

  private:
    std::span<const uint8_t> Advance(size_t count)
    {
        if (count > m_bytes.size())
        {
            throw DecodeError("message ends " + std::to_string(count - m_bytes.size()) +
                              " bytes too early");
        }
        const auto head = m_bytes.first(count);
        m_bytes = m_bytes.subspan(count);
        return head;
    }

    std::span<const uint8_t> m_bytes;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_BYTES_H */
