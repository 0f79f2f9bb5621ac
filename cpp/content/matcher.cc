/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/matcher.h"

#include "content/condition.h"
#include "content/matcher-covers.h"
#include "content/matcher-keys.h"
#include "content/subscriber-set.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace mftpubsub
{

using namespace matching;

namespace
{

/// The attributes of an event, looked up once for all filters.
class SlotAttributes final : public AttributeSource
{
  public:
    SlotAttributes(const std::vector<const Value*>& values, const uint32_t* slots)
        : m_values(values),
          m_slots(slots)
    {
    }

    const Value* Find(const Condition&, const Node& node) const override
    {
        return m_values[m_slots[node.attribute]];
    }

  private:
    const std::vector<const Value*>& m_values;
    const uint32_t* m_slots;
};

} // namespace

/**
 * Every filter stands in the buckets of a few keys, its cover, one of which is true of any event
 * that the filter matches; an event is evaluated against the filters in the buckets of its keys.
 */
class Matcher::Index : private Shares
{
  public:
    void Insert(NodeId subscriber, const Filter& filter)
    {
        const auto [position, isNew] = m_entries.try_emplace(&filter.GetCondition(), filter);
        Entry& entry = position->second;
        if (isNew)
        {
            AssignSlots(entry);
            Place(entry);
        }
        auto& subscribers = entry.subscribers;
        const auto where = std::ranges::lower_bound(subscribers, subscriber);
        if (where == subscribers.end() || *where != subscriber)
        {
            subscribers.insert(where, subscriber);
            NoteSoleSubscriber(entry);
        }
    }

    void Remove(NodeId subscriber, const Filter& filter)
    {
        const auto position = m_entries.find(&filter.GetCondition());
        if (position == m_entries.end())
        {
            return;
        }
        auto& subscribers = position->second.subscribers;
        const auto where = std::ranges::lower_bound(subscribers, subscriber);
        if (where != subscribers.end() && *where == subscriber)
        {
            subscribers.erase(where);
            NoteSoleSubscriber(position->second);
        }
        if (subscribers.empty())
        {
            Unplace(position->second);
            m_entries.erase(position);
        }
    }

    std::vector<NodeId> Match(const Event& event) const
    {
        thread_local Search search;
        search.Reset(m_attributes.size());
        for (const auto& [name, value] : event.attributes)
        {
            const auto slot = m_slots.find(name);
            if (slot != m_slots.end())
            {
                search.Note(slot->second, value);
            }
        }
        ProbeBucket({}, search);
        for (const uint32_t slot : search.present)
        {
            ProbeAttribute(slot, *search.values[slot], search);
        }
        return search.matched.List();
    }

  private:
    struct Entry;

    /// A range that a number of the event must be in to match: tested before the filter is touched.
    struct Guard
    {
        static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

        bool Excludes(const std::vector<double>& numbers) const
        {
            return slot != NONE && !(range.low <= numbers[slot] && numbers[slot] <= range.high);
        }

        uint32_t slot{NONE};
        Range range;
    };

    /// A filter in a bucket, and which of its places this is.
    struct Item
    {
        Entry* entry;
        uint32_t place;
        NodeId soleSubscriber; //!< of the entry, NO_NODE if it has several
        bool isDecided;        //!< an event that has the key (but as a bound) is known to match
        Guard guard;
    };

    using Bucket = std::pair<const Key, std::vector<Item>>;

    /// Where a filter stands, so that it is taken out without a search.
    struct Position
    {
        Bucket* bucket;
        uint32_t position;
    };

    struct Entry
    {
        explicit Entry(const Filter& ofFilter)
            : filter(ofFilter)
        {
        }

        Filter filter;
        std::unique_ptr<uint32_t[]> slots; //!< of the condition's attributes, by their number
        std::vector<NodeId> subscribers;   //!< ascending
        std::vector<Position> places;
    };

    /// What is known of an attribute. Names are few and stay, even when no filter has them.
    struct Attribute
    {
        uint32_t points{0};                 //!< places under equality keys
        uint32_t cells{0};                  //!< places under cell keys
        std::map<int16_t, uint32_t> levels; //!< places by level of their cells
    };

    /**
     * What is noted during a match. It is kept, so that a match takes time for what the event has
     * and for whom it is, and none for every attribute and subscriber that there may be.
     */
    struct Search
    {
        /// Forgets the last match. @param slots attributes that there are
        void Reset(size_t slots)
        {
            for (const uint32_t slot : present)
            {
                values[slot] = nullptr;
                numbers[slot] = std::numeric_limits<double>::quiet_NaN();
            }
            present.clear();
            matched.Clear();
            if (slots > values.size())
            {
                values.resize(slots, nullptr);
                numbers.resize(slots, std::numeric_limits<double>::quiet_NaN());
            }
        }

        void Note(uint32_t slot, const Value& value)
        {
            if (!values[slot])
            {
                present.push_back(slot);
                values[slot] = &value;
                numbers[slot] = ToNumber(value);
            }
        }

        std::vector<const Value*> values; //!< by slot; null where there is none
        std::vector<double> numbers;      //!< the same; NaN where there is no number
        std::vector<uint32_t> present;    //!< slots of the event's attributes
        SubscriberSet matched;
    };

    // --- Matching

    void ProbeAttribute(uint32_t slot, const Value& value, Search& search) const
    {
        ProbeBucket({slot, Key::Kind::PRESENT, 0, 0}, search);
        const auto equality = MakeEqualityKey(slot, ToScalar(value));
        if (!equality)
        {
            return;
        }
        ProbeBucket(*equality, search);
        if (equality->kind == Key::Kind::POINT)
        {
            ProbeRanges(slot, ToNumber(value), search);
        }
    }

    void ProbeRanges(uint32_t slot, double number, Search& search) const
    {
        for (const auto& [level, places] : m_attributes[slot].levels)
        {
            const double cell = ToCell(number, level);
            ProbeBucket(MakeCellKey(slot, level, cell), search);
            ProbeBucket(MakeCellKey(slot, level, cell - 1), search);
        }
        const Key above = MakeNumberKey(slot, Key::Kind::ABOVE, number);
        const Key below = MakeNumberKey(slot, Key::Kind::BELOW, number);
        ProbeHalfLines(MakeNumberKey(slot, Key::Kind::ABOVE, -INFINITE), above, above, search);
        ProbeHalfLines(below, MakeNumberKey(slot, Key::Kind::BELOW, INFINITE), below, search);
    }

    /// @param bound the key of those whose bound is the very number looked up
    void ProbeHalfLines(const Key& first, const Key& last, const Key& bound, Search& search) const
    {
        const auto end = m_halfLines.upper_bound(last);
        for (auto bucket = m_halfLines.lower_bound(first); bucket != end; ++bucket)
        {
            EvaluateBucket(*bucket, bucket->first == bound, search);
        }
    }

    void ProbeBucket(const Key& key, Search& search) const
    {
        const auto bucket = m_buckets.find(key);
        if (bucket != m_buckets.end())
        {
            EvaluateBucket(*bucket, false, search);
        }
    }

    /// @param onBound whether the number looked up is the bound that the bucket's filters share
    static void EvaluateBucket(const Bucket& bucket, bool onBound, Search& search)
    {
        for (const Item& item : bucket.second)
        {
            if (item.guard.Excludes(search.numbers))
            {
                continue;
            }
            const bool isDecided = item.isDecided && !onBound;
            if (item.soleSubscriber != NO_NODE)
            {
                if (!search.matched.Has(item.soleSubscriber) &&
                    (isDecided || IsMatch(*item.entry, search)))
                {
                    search.matched.Add(item.soleSubscriber);
                }
                continue;
            }
            const auto& subscribers = item.entry->subscribers;
            const bool isNews = std::ranges::any_of(subscribers, [&](NodeId subscriber) {
                return !search.matched.Has(subscriber);
            });
            if (isNews && (isDecided || IsMatch(*item.entry, search)))
            {
                for (const NodeId subscriber : subscribers)
                {
                    search.matched.Add(subscriber);
                }
            }
        }
    }

    static bool IsMatch(const Entry& entry, const Search& search)
    {
        const Condition& condition = entry.filter.GetCondition();
        const SlotAttributes attributes(search.values, entry.slots.get());
        return EvaluateTruth(condition, condition.nodes.front(), attributes) == Truth::TRUE_;
    }

    // --- Inserting and removing

    /// Most filters have one subscriber: its id in the buckets spares a look at the entry.
    static void NoteSoleSubscriber(const Entry& entry)
    {
        const NodeId sole = entry.subscribers.size() == 1 ? entry.subscribers.front() : NO_NODE;
        for (const Position& place : entry.places)
        {
            place.bucket->second[place.position].soleSubscriber = sole;
        }
    }

    void AssignSlots(Entry& entry)
    {
        const Condition& condition = entry.filter.GetCondition();
        entry.slots = std::make_unique<uint32_t[]>(condition.attributeCount);
        for (const Node& node : condition.nodes)
        {
            if (node.kind == Node::Kind::ATTRIBUTE)
            {
                const auto next = static_cast<uint32_t>(m_attributes.size());
                const auto [slot, isNew] =
                    m_slots.try_emplace(std::string(condition.GetText(node)), next);
                m_attributes.resize(m_attributes.size() + isNew);
                entry.slots[node.attribute] = slot->second;
            }
        }
    }

    void Place(Entry& entry)
    {
        const Condition& condition = entry.filter.GetCondition();
        std::vector<Key> keys = CoverFinder(condition, entry.slots.get(), *this)
                                    .Find(condition.nodes.front(), false)
                                    .keys;
        std::ranges::sort(keys);
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        const bool isDecided = keys.size() == 1 && Decides(keys.front(), condition);
        const Guard guard = FindGuard(entry, keys);
        entry.places.reserve(keys.size());
        for (const Key& key : keys)
        {
            Bucket& bucket = key.IsHalfLine() ? *m_halfLines.try_emplace(key).first
                                              : *m_buckets.try_emplace(key).first;
            bucket.second.push_back(
                {&entry, static_cast<uint32_t>(entry.places.size()), NO_NODE, isDecided, guard});
            entry.places.push_back({&bucket, static_cast<uint32_t>(bucket.second.size() - 1)});
            Count(key, 1);
        }
    }

    /**
     * @return whether @p condition says no more than @p key does: a comparison of an attribute with
     * a number that no other number is rounded to. (A string's key is only its hash.)
     */
    static bool Decides(const Key& key, const Condition& condition)
    {
        const auto restriction = ToRestriction(condition, condition.nodes.front(), false);
        if (!restriction || (key.kind != Key::Kind::POINT && !key.IsHalfLine()))
        {
            return false;
        }
        const auto* integer = std::get_if<int64_t>(&restriction->constant);
        constexpr int64_t exact = int64_t{1} << std::numeric_limits<double>::digits;
        return integer && *integer > -exact && *integer < exact;
    }

    /// @return the narrowest range that the condition asks for and its cover, @p keys, does not
    Guard FindGuard(const Entry& entry, const std::vector<Key>& keys) const
    {
        const Condition& condition = entry.filter.GetCondition();
        const Node& root = condition.nodes.front();
        if (root.kind != Node::Kind::AND)
        {
            return {};
        }
        std::vector<std::pair<uint32_t, Range>> ranges;
        for (const Node* child = root.First(); child != root.End(); child = child->End())
        {
            const auto restriction = ToRestriction(condition, *child, false);
            if (const auto range = restriction ? ToRange(*restriction) : std::nullopt)
            {
                Intersect(ranges, entry.slots[restriction->attribute->attribute], *range);
            }
        }
        Guard best;
        double bestWidth = std::numeric_limits<double>::infinity();
        for (const auto& [slot, range] : ranges)
        {
            const Key point = MakeNumberKey(slot, Key::Kind::POINT, range.low);
            const bool isCover =
                range.low == range.high && std::ranges::find(keys, point) != keys.end();
            if (!isCover && range.high - range.low < bestWidth)
            {
                best = {slot, range};
                bestWidth = range.high - range.low;
            }
        }
        return best;
    }

    void Unplace(const Entry& entry)
    {
        for (const Position& place : entry.places)
        {
            auto& items = place.bucket->second;
            const Key key = place.bucket->first;
            items[place.position] = items.back();
            items[place.position].entry->places[items.back().place].position = place.position;
            items.pop_back();
            Count(key, -1);
            if (items.empty())
            {
                key.IsHalfLine() ? m_halfLines.erase(key) : m_buckets.erase(key);
            }
        }
    }

    /// Keeps the numbers by which covers are chosen, and the levels that events are looked up at.
    void Count(const Key& key, int change)
    {
        if (key.kind == Key::Kind::CELL)
        {
            Attribute& attribute = m_attributes[key.slot];
            attribute.cells += change;
            if ((attribute.levels[key.level] += change) == 0)
            {
                attribute.levels.erase(key.level);
            }
        }
        else if (key.kind == Key::Kind::POINT || key.kind == Key::Kind::STRING ||
                 key.kind == Key::Kind::BOOLEAN)
        {
            m_attributes[key.slot].points += change;
        }
    }

    double Estimate(const Key& key) const override
    {
        constexpr double values = 16; // as if of so many, until more is known
        const auto bucket = m_buckets.find(key);
        const size_t size = bucket == m_buckets.end() ? 0 : bucket->second.size();
        const Attribute& attribute = m_attributes[key.slot];
        const uint32_t places = key.kind == Key::Kind::CELL ? attribute.cells : attribute.points;
        return (1.0 + static_cast<double>(size)) / (values + places);
    }

    std::unordered_map<const Condition*, Entry> m_entries; //!< one for all filters of a text
    std::unordered_map<std::string, uint32_t> m_slots;     //!< attributes by name
    std::vector<Attribute> m_attributes;                   //!< by slot
    std::unordered_map<Key, std::vector<Item>, KeyHash> m_buckets;
    std::map<Key, std::vector<Item>> m_halfLines; //!< sorted by attribute, side and bound
};

Matcher::Matcher()
    : m_index(std::make_unique<Index>())
{
}

Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

void
Matcher::Insert(NodeId subscriber, const Filter& filter)
{
    m_index->Insert(subscriber, filter);
}

void
Matcher::Remove(NodeId subscriber, const Filter& filter)
{
    m_index->Remove(subscriber, filter);
}

std::vector<NodeId>
Matcher::Match(const Event& event) const
{
    return m_index->Match(event);
}

} // namespace mftpubsub
