/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The grammar of transcripts: a family has one table of commands and one of options.
 */
#ifndef MFTPUBSUB_LAB_COMMANDS_H
#define MFTPUBSUB_LAB_COMMANDS_H

#include "lab/lab-error.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mftpubsub
{

using Words = std::vector<std::string>;

/// @return the words of @p text; blanks between ' and ' do not end a word
Words SplitWords(std::string_view text);

/// @return the words, with commas
std::string JoinWords(const Words& words);

/// @return all lines, in one text
std::string JoinLines(const Words& lines, const Words& more = {});

/// @return the parts of @p list, which commas separate
Words SplitList(const std::string& list);

/// @return the two ends of @p word. @throws LabError if it is no link
std::pair<std::string, std::string> SplitLink(const std::string& word,
                                              const std::string& arrow = "-");

// All throw LabError for another text.

double ParseNumber(const std::string& text, const std::string& unit); //!< at least 0
uint64_t ParseCount(const std::string& text, uint64_t least = 1);
bool ParseBoolean(const std::string& text);

/**
 * How a command goes, as in `subscribe S [at B] where CONDITION`.
 *
 * A word in lower case stands for itself, one with capitals for a word that is given, `X ...` for
 * one word or more, CONDITION or TIMER for the rest of the line. What is in brackets may be left
 * out.
 */
class Usage
{
  public:
    explicit Usage(const std::string& text);

    const std::string& GetText() const;

    /// @return what @p command gives for the words with capitals, empty where they are left out;
    /// none if it does not go so
    std::optional<Words> Match(std::string_view command) const;

  private:
    friend class UsageMatch;

    enum class Kind
    {
        ITSELF,
        WORD,
        SEVERAL,
        REST
    };

    struct Token
    {
        Kind kind{Kind::ITSELF};
        std::string text;
        size_t slot{0};     //!< place of what is given
        size_t groupEnd{0}; //!< of the first word in brackets: the place behind them; else 0
    };

    std::string m_text;
    std::vector<Token> m_tokens;
    size_t m_slots{0};
};

/// A command of a laboratory.
template <typename Lab>
struct Command
{
    Usage usage;
    void (Lab::*run)(const Words& given);
    std::string about;
};

/// A word NAME=VALUE of the command that makes a laboratory.
template <typename Options>
struct LabOption
{
    std::string usage; //!< "root=B"
    std::function<void(Options&, const std::string& value)> set;
    std::string about;

    std::string GetName() const
    {
        return usage.substr(0, usage.find('='));
    }
};

/// Says what is wrong with @p command, which goes like none of @p usages. @throws LabError
[[noreturn]] void RefuseCommand(const std::string& command, const std::vector<Usage>& usages);

/// Says that there is no option of this @p name. @throws LabError
[[noreturn]] void RefuseOption(const std::string& name, const Words& usages);

/// Runs the first of @p commands that goes as @p text does. @throws LabError if none does
template <typename Lab>
void
RunCommand(const std::vector<Command<Lab>>& commands, Lab& lab, const std::string& text)
{
    std::vector<Usage> usages;
    for (const auto& command : commands)
    {
        if (const auto given = command.usage.Match(text))
        {
            (lab.*command.run)(*given);
            return;
        }
        usages.push_back(command.usage);
    }
    RefuseCommand(text, usages);
}

/// Sets in @p made what @p words say of it. @return the words that are no options
/// @throws LabError if there is no such option
template <typename Options>
Words
SetOptions(const std::vector<LabOption<Options>>& options, const Words& words, Options& made)
{
    Words others;
    for (const auto& word : words)
    {
        const auto equals = word.find('=');
        if (equals == std::string::npos)
        {
            others.push_back(word);
            continue;
        }
        const auto name = word.substr(0, equals);
        Words usages;
        const LabOption<Options>* found = nullptr;
        for (const auto& option : options)
        {
            usages.push_back(option.usage);
            found = option.GetName() == name ? &option : found;
        }
        if (!found)
        {
            RefuseOption(name, usages);
        }
        found->set(made, word.substr(equals + 1));
    }
    return others;
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_COMMANDS_H */
