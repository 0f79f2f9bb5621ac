/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/commands.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace mftpubsub
{

namespace
{

constexpr std::string_view BLANKS = " \t";

std::vector<std::string_view>
Split(std::string_view text)
{
    std::vector<std::string_view> words;
    size_t begin = 0;
    while ((begin = text.find_first_not_of(BLANKS, begin)) != std::string_view::npos)
    {
        auto end = begin;
        for (auto isQuoted = false; end < text.size(); ++end)
        {
            isQuoted ^= text[end] == '\'';
            if (!isQuoted && BLANKS.find(text[end]) != std::string_view::npos)
            {
                break;
            }
        }
        words.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

bool
IsNameLetter(unsigned char letter)
{
    return std::isalnum(letter) || letter == '_' || letter == '.' || letter >= 0x80;
}

template <typename Number>
std::optional<Number>
Parse(const std::string& text)
{
    Number number{};
    const auto* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

} // namespace

Words
SplitWords(std::string_view text)
{
    const auto words = Split(text);
    return Words(words.begin(), words.end());
}

std::string
JoinWords(const Words& words)
{
    std::string joined;
    for (const auto& word : words)
    {
        joined += (joined.empty() ? "" : ", ") + word;
    }
    return joined;
}

std::string
JoinLines(const Words& lines, const Words& more)
{
    std::string joined;
    for (const auto* part : {&lines, &more})
    {
        for (const auto& line : *part)
        {
            joined += (joined.empty() ? "" : "\n") + line;
        }
    }
    return joined;
}

Words
SplitList(const std::string& list)
{
    Words parts;
    size_t begin = 0;
    while (begin <= list.size())
    {
        const auto end = std::min(list.find(',', begin), list.size());
        if (end > begin)
        {
            parts.push_back(list.substr(begin, end - begin));
        }
        begin = end + 1;
    }
    return parts;
}

std::pair<std::string, std::string>
SplitLink(const std::string& word, const std::string& arrow)
{
    const auto place = word.find(arrow);
    if (place != std::string::npos)
    {
        std::pair ends(word.substr(0, place), word.substr(place + arrow.size()));
        const auto isName = [](const std::string& end) {
            return !end.empty() && std::ranges::all_of(end, IsNameLetter);
        };
        if (isName(ends.first) && isName(ends.second))
        {
            return ends;
        }
    }
    throw LabError("'" + word + "' is no link: one goes B" + arrow + "B");
}

double
ParseNumber(const std::string& text, const std::string& unit)
{
    const auto number = Parse<double>(text);
    if (!number || !(*number >= 0))
    {
        throw LabError("'" + text + "' is no number of " + unit + ": one goes 0.15");
    }
    return *number;
}

uint64_t
ParseCount(const std::string& text, uint64_t least)
{
    const auto count = Parse<uint64_t>(text);
    if (!count || *count < least)
    {
        throw LabError("'" + text + "' is no whole number from " + std::to_string(least) + " on");
    }
    return *count;
}

bool
ParseBoolean(const std::string& text)
{
    if (text != "true" && text != "false")
    {
        throw LabError("'" + text + "' is neither true nor false");
    }
    return text == "true";
}

Usage::Usage(const std::string& text)
    : m_text(text)
{
    std::optional<size_t> group;
    for (auto word : SplitWords(text))
    {
        if (word.front() == '[')
        {
            group = m_tokens.size();
            word.erase(0, 1);
        }
        const auto isLast = word.back() == ']';
        if (isLast)
        {
            word.pop_back();
        }
        if (word == "...")
        {
            m_tokens.back().kind = Kind::SEVERAL;
        }
        else
        {
            const auto isGiven = std::ranges::any_of(word, [](char c) { return std::isupper(c); });
            const auto kind = !isGiven                                 ? Kind::ITSELF
                              : word == "CONDITION" || word == "TIMER" ? Kind::REST
                                                                       : Kind::WORD;
            m_tokens.push_back({kind, word, m_slots, 0});
            m_slots += isGiven;
        }
        if (isLast)
        {
            m_tokens[*group].groupEnd = m_tokens.size();
        }
    }
}

const std::string&
Usage::GetText() const
{
    return m_text;
}

/// One attempt to read a command as a usage says.
class UsageMatch
{
  public:
    UsageMatch(const Usage& usage, std::string_view command)
        : m_usage(usage),
          m_words(Split(command)),
          m_given(usage.m_slots)
    {
    }

    /// @return what is given, if the words go so
    std::optional<Words> Find()
    {
        return From(0, 0) ? std::optional(m_given) : std::nullopt;
    }

  private:
    /// @return whether the words from the @p word-th on go as the tokens from the @p place-th on
    bool From(size_t place, size_t word)
    {
        if (place == m_usage.m_tokens.size())
        {
            return word == m_words.size();
        }
        if (word < m_words.size() && Take(place, word))
        {
            return true;
        }
        const auto groupEnd = m_usage.m_tokens[place].groupEnd;
        for (auto skipped = place; skipped < groupEnd; ++skipped)
        {
            if (m_usage.m_tokens[skipped].kind != Usage::Kind::ITSELF)
            {
                m_given[m_usage.m_tokens[skipped].slot].clear();
            }
        }
        return groupEnd > 0 && From(groupEnd, word);
    }

    bool Take(size_t place, size_t word)
    {
        const auto& token = m_usage.m_tokens[place];
        switch (token.kind)
        {
        case Usage::Kind::ITSELF:
            return m_words[word] == token.text && From(place + 1, word + 1);
        case Usage::Kind::WORD:
            m_given[token.slot] = m_words[word];
            return IsPossible(token.text, m_words[word]) && From(place + 1, word + 1);
        case Usage::Kind::SEVERAL:
            return TakeSeveral(place, word);
        default:
            m_given[token.slot] = Span(word, m_words.size());
            return From(place + 1, m_words.size());
        }
    }

    bool TakeSeveral(size_t place, size_t word)
    {
        for (auto end = word + 1; end <= m_words.size(); ++end)
        {
            m_given[m_usage.m_tokens[place].slot] = Span(word, end);
            if (From(place + 1, end))
            {
                return true;
            }
        }
        return false;
    }

    /// A word with nothing but capitals stands for a name or a number.
    static bool IsPossible(const std::string& token, std::string_view given)
    {
        return !std::ranges::all_of(token, [](char c) { return std::isupper(c); }) ||
               std::ranges::all_of(given, IsNameLetter);
    }

    std::string Span(size_t begin, size_t end) const
    {
        const auto* const last = m_words[end - 1].data() + m_words[end - 1].size();
        return std::string(m_words[begin].data(), last);
    }

    const Usage& m_usage;
    std::vector<std::string_view> m_words;
    Words m_given;
};

std::optional<Words>
Usage::Match(std::string_view command) const
{
    return UsageMatch(*this, command).Find();
}

void
RefuseCommand(const std::string& command, const std::vector<Usage>& usages)
{
    const auto given = SplitWords(command);
    const auto verb = given.empty() ? "" : given.front();
    Words verbs;
    std::string right;
    for (const auto& usage : usages)
    {
        const auto own = SplitWords(usage.GetText()).front();
        if (own == verb)
        {
            right += (right.empty() ? "it goes '" : " or '") + usage.GetText() + "'";
        }
        if (std::ranges::find(verbs, own) == verbs.end())
        {
            verbs.push_back(own);
        }
    }
    if (right.empty())
    {
        throw LabError("no command '" + verb + "'; there are lab, " + JoinWords(verbs));
    }
    throw LabError(right);
}

void
RefuseOption(const std::string& name, const Words& usages)
{
    throw LabError("no option '" + name + "'; there are " + JoinWords(usages));
}

} // namespace mftpubsub
