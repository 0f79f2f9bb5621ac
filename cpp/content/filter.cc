/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/filter.h"

#include "content/condition.h"
#include "content/filter-parser.h"

#include <unordered_map>

namespace mftpubsub
{
namespace
{

class EventAttributes final : public AttributeSource
{
  public:
    explicit EventAttributes(const Event& event)
        : m_event(event)
    {
    }

    const Value* Find(const Condition& condition, const Node& node) const override
    {
        return m_event.Find(condition.GetText(node));
    }

  private:
    const Event& m_event;
};

} // namespace

/// A text and what it says; one for all filters of that text.
struct Filter::Parsed
{
    /// The texts in use, each with its filter. Never destroyed: static filters may outlive it.
    static auto& GetCache()
    {
        static auto& cache =
            *new std::unordered_map<std::string_view, std::weak_ptr<const Parsed>>();
        return cache;
    }

    explicit Parsed(std::string_view filterText)
        : text(filterText),
          condition(ParseCondition(filterText))
    {
    }

    Parsed(const Parsed&) = delete;
    Parsed& operator=(const Parsed&) = delete;

    ~Parsed()
    {
        GetCache().erase(text);
    }

    std::string text;
    Condition condition;
};

FilterError::FilterError(const std::string& message, size_t position)
    : std::invalid_argument(message),
      m_position(position)
{
}

size_t
FilterError::GetPosition() const
{
    return m_position;
}

Filter::Filter(std::shared_ptr<const Parsed> parsed)
    : m_parsed(std::move(parsed))
{
}

Filter
Filter::Parse(std::string_view text)
{
    auto& cache = Parsed::GetCache();
    const auto known = cache.find(text);
    if (known != cache.end())
    {
        return Filter(known->second.lock());
    }
    auto parsed = std::make_shared<const Parsed>(text);
    cache.emplace(parsed->text, parsed);
    return Filter(std::move(parsed));
}

const std::string&
Filter::GetText() const
{
    return m_parsed->text;
}

Truth
Filter::Evaluate(const Event& event) const
{
    const Condition& condition = m_parsed->condition;
    return EvaluateTruth(condition, condition.nodes.front(), EventAttributes(event));
}

bool
Filter::Matches(const Event& event) const
{
    return Evaluate(event) == Truth::TRUE_;
}

const Condition&
Filter::GetCondition() const
{
    return m_parsed->condition;
}

bool
Filter::operator==(const Filter& other) const
{
    return m_parsed == other.m_parsed;
}

std::strong_ordering
Filter::operator<=>(const Filter& other) const
{
    return GetText() <=> other.GetText();
}

} // namespace mftpubsub
