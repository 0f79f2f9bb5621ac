/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_JSON_JSON_WRITER_H
#define MFTPUBSUB_JSON_JSON_WRITER_H

#include "json/fields.h"

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mftpubsub
{

/// Writes what JsonReader reads, on one line. Doubles have as few digits as tell them apart;
/// what is no number is null.
class JsonWriter
{
  public:
    void Write(bool value);
    void Write(double value);
    void Write(const std::string& value);

    template <std::integral T>
    void Write(T value)
    {
        m_text += std::to_string(value);
    }

    template <typename... Ts>
    void Write(const std::variant<Ts...>& value)
    {
        std::visit([this](const auto& one) { this->Write(one); }, value);
    }

    template <typename T>
    void Write(const std::vector<T>& values)
    {
        WriteList('[', ']', values, [this](const T& value) { Write(value); });
    }

    template <typename First, typename Second>
    void Write(const std::pair<First, Second>& value)
    {
        m_text += '[';
        Write(value.first);
        m_text += ',';
        Write(value.second);
        m_text += ']';
    }

    template <typename T>
    void Write(const std::map<std::string, T>& values)
    {
        WriteList('{', '}', values, [this](const auto& entry) {
            Write(entry.first);
            m_text += ':';
            Write(entry.second);
        });
    }

    template <HasFields T>
    void Write(const T& object)
    {
        auto before = '{';
        std::apply(
            [&](const auto&... fields) {
                ((m_text += std::exchange(before, ','),
                  m_text += '"',
                  m_text += fields.name,
                  m_text += "\":",
                  Write(object.*fields.member)),
                 ...);
            },
            FIELDS<T>);
        m_text += '}';
    }

    std::string Take()
    {
        return std::move(m_text);
    }

  private:
    template <typename List, typename WriteItem>
    void WriteList(char open, char close, const List& items, WriteItem writeItem)
    {
        m_text += open;
        for (auto item = items.begin(); item != items.end(); ++item)
        {
            if (item != items.begin())
            {
                m_text += ',';
            }
            writeItem(*item);
        }
        m_text += close;
    }

    std::string m_text;
};

/// @return @p value as JSON
template <typename T>
std::string
ToJson(const T& value)
{
    JsonWriter writer;
    writer.Write(value);
    return writer.Take();
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_JSON_JSON_WRITER_H */
