/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "json/json-reader.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

constexpr uint32_t HIGH_SURROGATES = 0xd800; //!< of each pair the first, with the upper ten bits
constexpr uint32_t LOW_SURROGATES = 0xdc00;
constexpr uint32_t BEHIND_SURROGATES = 0xe000;
constexpr uint32_t FIRST_OF_PAIRS = 0x10000;

void
AppendUtf8(uint32_t character, std::string& text)
{
    if (character < 0x80)
    {
        text += static_cast<char>(character);
        return;
    }
    auto behind = character < 0x800 ? 1 : character < FIRST_OF_PAIRS ? 2 : 3;
    text += static_cast<char>(0xff00 >> (behind + 1) | character >> (6 * behind));
    while (behind-- > 0)
    {
        text += static_cast<char>(0x80 | (character >> (6 * behind) & 0x3f));
    }
}

} // namespace

JsonReader::JsonReader(std::string_view text, std::string name)
    : m_rest(text),
      m_place(std::move(name))
{
}

void
JsonReader::Read(bool& value)
{
    value = TryTake("true");
    if (!value && !TryTake("false"))
    {
        Fail("true or false");
    }
}

void
JsonReader::Read(double& value)
{
    ReadNumber(value, "a number");
}

void
JsonReader::Read(std::string& value)
{
    if (!TryTake('"'))
    {
        Fail("a text");
    }
    value.clear();
    while (!m_rest.empty() && m_rest.front() != '"')
    {
        const auto c = m_rest.front();
        if (static_cast<unsigned char>(c) < ' ')
        {
            Fail("a text, control characters escaped");
        }
        m_rest.remove_prefix(1);
        if (c == '\\')
        {
            TakeEscape(value);
        }
        else
        {
            value += c;
        }
    }
    if (m_rest.empty())
    {
        Fail("the end of a text");
    }
    m_rest.remove_prefix(1);
}

void
JsonReader::Read(Scalar& value)
{
    const auto next = Peek();
    if (next == '"')
    {
        Read(value.emplace<std::string>());
    }
    else if (next == 't' || next == 'f')
    {
        Read(value.emplace<bool>());
    }
    else if (next != '-' && (next < '0' || next > '9'))
    {
        Fail("a text, a number, true or false");
    }
    else if (const auto rest = m_rest; TakeNumber().find_first_of(".eE") != std::string_view::npos)
    {
        m_rest = rest;
        Read(value.emplace<double>());
    }
    else
    {
        m_rest = rest;
        ReadNumber(value.emplace<int64_t>(), "a whole number from -2^63 to 2^63 - 1");
    }
}

char
JsonReader::Peek()
{
    m_rest.remove_prefix(std::min(m_rest.find_first_not_of(" \t\r\n"), m_rest.size()));
    return m_rest.empty() ? '\0' : m_rest.front();
}

void
JsonReader::Take(char wanted)
{
    if (!TryTake(wanted))
    {
        Fail(std::string("'") + wanted + "'");
    }
}

bool
JsonReader::TryTake(char wanted)
{
    const auto isThere = Peek() == wanted && !m_rest.empty();
    m_rest.remove_prefix(isThere ? 1 : 0);
    return isThere;
}

bool
JsonReader::TryTake(std::string_view word)
{
    Peek();
    const auto isThere = m_rest.starts_with(word);
    m_rest.remove_prefix(isThere ? word.size() : 0);
    return isThere;
}

std::string_view
JsonReader::TakeNumber()
{
    Peek();
    const auto end = std::min(m_rest.find_first_not_of("+-.0123456789eE"), m_rest.size());
    const auto number = m_rest.substr(0, end);
    m_rest.remove_prefix(end);
    return number;
}

/// Appends the character that is escaped here, behind the backslash.
void
JsonReader::TakeEscape(std::string& text)
{
    static constexpr std::string_view NAMES = "\"\\/bfnrt";
    static constexpr std::string_view MEANT = "\"\\/\b\f\n\r\t";
    if (const auto name = m_rest.empty() ? NAMES.npos : NAMES.find(m_rest.front());
        name != NAMES.npos)
    {
        m_rest.remove_prefix(1);
        text += MEANT[name];
        return;
    }
    const auto found = m_rest;
    auto character = TakeCode();
    if (character >= HIGH_SURROGATES && character < LOW_SURROGATES && m_rest.starts_with("\\u"))
    {
        m_rest.remove_prefix(1);
        const auto high = character - HIGH_SURROGATES;
        const auto low = TakeCode() - LOW_SURROGATES;
        character = low < 0x400 ? FIRST_OF_PAIRS + (high << 10) + low : character;
    }
    if (character >= HIGH_SURROGATES && character < BEHIND_SURROGATES)
    {
        Fail("a pair of surrogates, as in \\ud83d\\ude00", found);
    }
    AppendUtf8(character, text);
}

uint32_t
JsonReader::TakeCode()
{
    const auto digits = m_rest.substr(std::min<size_t>(1, m_rest.size()), 4);
    uint32_t code = 0;
    const auto end = digits.data() + digits.size();
    if (!m_rest.starts_with('u') || digits.size() != 4 ||
        std::from_chars(digits.data(), end, code, 16).ptr != end)
    {
        Fail("an escape of JSON, as in \\n or \\u00fc");
    }
    m_rest.remove_prefix(5);
    return code;
}

void
JsonReader::ReadMembers(void* object, std::span<const Member> members)
{
    std::set<const char*> isRead;
    ReadObject([&](const std::string& key) {
        const auto member =
            std::ranges::find_if(members, [&](const auto& one) { return key == one.name; });
        if (member == members.end())
        {
            Fail("a field that is known here");
        }
        if (!isRead.insert(member->name).second)
        {
            Fail("given once");
        }
        member->read(*this, object);
    });
    for (const auto& member : members)
    {
        RequireField(isRead.contains(member.name), member.name);
    }
}

void
JsonReader::ReadArray(const std::function<void(size_t index)>& readItem)
{
    Take('[');
    if (TryTake(']'))
    {
        return;
    }
    size_t index = 0;
    do
    {
        Within("[" + std::to_string(index) + "]", [&] { readItem(index); });
        ++index;
    } while (TryTake(','));
    Take(']');
}

void
JsonReader::ReadObject(const std::function<void(const std::string& key)>& readMember)
{
    Take('{');
    if (TryTake('}'))
    {
        return;
    }
    std::string key;
    do
    {
        Read(key);
        Take(':');
        Within("." + key, [&] { readMember(key); });
    } while (TryTake(','));
    Take('}');
}

void
JsonReader::Within(const std::string& step, const std::function<void()>& read)
{
    const auto length = m_place.size();
    m_place += step;
    read();
    m_place.resize(length);
}

void
JsonReader::RequireField(bool isRead, const char* name)
{
    if (!isRead)
    {
        throw std::invalid_argument(m_place + "." + name + ": missing");
    }
}

void
JsonReader::End()
{
    if (Peek() != '\0' || !m_rest.empty())
    {
        Fail("the end");
    }
}

void
JsonReader::Fail(const std::string& wanted)
{
    Fail(wanted, m_rest);
}

void
JsonReader::Fail(const std::string& wanted, std::string_view found)
{
    const auto shown = found.empty() ? "the end" : "'" + std::string(found.substr(0, 20)) + "'";
    throw std::invalid_argument(m_place + ": must be " + wanted + ", not " + shown);
}

} // namespace mftpubsub
