/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_FILTER_H
#define MFTPUBSUB_CONTENT_FILTER_H

#include "content/event.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mftpubsub
{

/// A filter text that is no condition: says what was expected, and where.
class FilterError : public std::invalid_argument
{
  public:
    FilterError(const std::string& message, size_t position);

    /// @return offset of the offending character in the filter's text, from 0
    size_t GetPosition() const;

  private:
    size_t m_position;
};

/// Truth value of a condition in SQL's three-valued logic.
enum class Truth : uint8_t
{
    FALSE_,
    UNKNOWN,
    TRUE_,
};

struct Condition; // the parsed expression (condition.h)

/**
 * A subscription filter: a predicate over the attributes of an event, written as an SQL-92 style
 * condition as JMS message selectors have it (protocols.md section 7):
 *
 *     comparison = <> < <= > >=, [NOT] BETWEEN x AND y, [NOT] IN (...), [NOT] LIKE pattern
 *     [ESCAPE c], IS [NOT] NULL, NOT, AND, OR, parentheses; arithmetic + - * /; literals 12, 1.5,
 *     'text' ('' is a quote), TRUE, FALSE. Keywords in any case; attribute names are
 * case-sensitive.
 *
 * A missing attribute, or a comparison of unlike types, is unknown, and unknown does not match.
 * Immutable and cheap to copy; two filters are the same filter iff their texts are equal.
 */
class Filter
{
  public:
    /**
     * @param text the condition
     * @throws FilterError when @p text is not a condition
     */
    static Filter Parse(std::string_view text);

    /// @return the text as it was given
    const std::string& GetText() const;

    /// @return the condition's truth value for @p event
    Truth Evaluate(const Event& event) const;

    /// @return whether the condition is true for @p event
    bool Matches(const Event& event) const;

    /// @return the parsed condition, for indexes
    const Condition& GetCondition() const;

    bool operator==(const Filter& other) const;
    std::strong_ordering operator<=>(const Filter& other) const;

  private:
    struct Parsed;

    explicit Filter(std::shared_ptr<const Parsed> parsed);

    std::shared_ptr<const Parsed> m_parsed;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_CONTENT_FILTER_H */
