/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/matcher.h"

#include "content/condition.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

namespace mftpubsub
{
namespace
{

constexpr double INFINITE = std::numeric_limits<double>::infinity();

/**
 * Something that can be true of an event and is looked up in constant or logarithmic time.
 *
 * Numbers are rounded to double. That keeps their order, so that a rounded number still lies in
 * every rounded range that it lay in; what lies there only by rounding is sorted out by evaluation.
 */
struct Key
{
    enum class Kind : uint8_t
    {
        ALWAYS,  //!< true of every event
        PRESENT, //!< the attribute has a value
        BOOLEAN, //!< the attribute is this boolean
        STRING,  //!< the attribute is a string of this hash
        POINT,   //!< the attribute is this number
        CELL,    //!< the attribute is in cell `value` or the next of a grid of width 2^level
        ABOVE,   //!< the attribute is at least this number
        BELOW,   //!< the attribute is at most this number
    };

    uint32_t slot{0};
    Kind kind{Kind::ALWAYS};
    int16_t level{0};
    uint64_t value{0};

    auto operator<=>(const Key&) const = default;

    bool IsHalfLine() const
    {
        return kind == Kind::ABOVE || kind == Kind::BELOW;
    }
};

struct KeyHash
{
    size_t operator()(const Key& key) const noexcept
    {
        uint64_t mixed = (uint64_t{key.slot} << 24) ^ (static_cast<uint64_t>(key.kind) << 16) ^
                         static_cast<uint16_t>(key.level);
        mixed = (mixed ^ std::rotr(key.value, 29)) * 0x9e3779b97f4a7c15;
        mixed ^= mixed >> 32;
        mixed *= 0xd6e8feb86659fd93;
        return mixed ^ (mixed >> 32);
    }
};

/// @return an integer that sorts as @p number does; 0.0 and -0.0 are one
uint64_t
ToSortable(double number)
{
    constexpr uint64_t sign = uint64_t{1} << 63;
    const auto bits = std::bit_cast<uint64_t>(number + 0.0);
    return bits & sign ? ~bits : bits | sign;
}

/// @return the number that @p value is, rounded to a double; NaN if it is none
double
ToNumber(const Value& value)
{
    const auto* integer = std::get_if<int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    return integer ? static_cast<double>(*integer)
           : real  ? *real
                   : std::numeric_limits<double>::quiet_NaN();
}

double
ToCell(double number, int level)
{
    return std::floor(std::ldexp(number, -level));
}

Key
MakeNumberKey(uint32_t slot, Key::Kind kind, double number)
{
    return {slot, kind, 0, ToSortable(number)};
}

Key
MakeCellKey(uint32_t slot, int16_t level, double cell)
{
    return {slot, Key::Kind::CELL, level, ToSortable(cell)};
}

/// @return the key of a value that equals @p value, if there is one
std::optional<Key>
MakeEqualityKey(uint32_t slot, const Scalar& value)
{
    if (const auto* text = std::get_if<std::string_view>(&value))
    {
        return Key{slot, Key::Kind::STRING, 0, std::hash<std::string_view>{}(*text)};
    }
    if (const auto* boolean = std::get_if<bool>(&value))
    {
        return Key{slot, Key::Kind::BOOLEAN, 0, *boolean};
    }
    if (const auto* integer = std::get_if<int64_t>(&value))
    {
        return MakeNumberKey(slot, Key::Kind::POINT, static_cast<double>(*integer));
    }
    const auto* real = std::get_if<double>(&value);
    if (!real || std::isnan(*real))
    {
        return std::nullopt;
    }
    return MakeNumberKey(slot, Key::Kind::POINT, *real);
}

/// The numbers that a condition leaves to an attribute, bounds included.
struct Range
{
    double low{-INFINITE};
    double high{INFINITE};
};

/// A condition is true only of events for which one of `keys` is.
struct Cover
{
    std::vector<Key> keys;
    double cost{0}; //!< share of the events that it is estimated to let through
};

/// Cost of a cover that asks no more than that an attribute is there.
constexpr double PRESENCE = 1.0;

/// No attribute at all: what a condition without attributes is evaluated with.
class NoAttributes final : public AttributeSource
{
  public:
    const Value* Find(const Condition&, const Node&) const override
    {
        return nullptr;
    }
};

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

/// Set of subscribers, read out in ascending order. Reading and clearing take what is in it.
class SubscriberSet
{
  public:
    void Add(NodeId subscriber)
    {
        const size_t word = subscriber / BITS;
        m_words[word] |= Bit(subscriber);
        m_used[word / BITS] |= Bit(word);
    }

    bool Has(NodeId subscriber) const
    {
        return (m_words[subscriber / BITS] & Bit(subscriber)) != 0;
    }

    std::vector<NodeId> List() const
    {
        std::vector<NodeId> list;
        VisitUsed([&](size_t index) {
            for (uint64_t word = m_words[index]; word != 0; word &= word - 1)
            {
                list.push_back(static_cast<NodeId>(index * BITS + std::countr_zero(word)));
            }
        });
        return list;
    }

    void Clear()
    {
        VisitUsed([this](size_t index) { m_words[index] = 0; });
        m_used = {};
    }

  private:
    static constexpr size_t BITS = 64; //!< of a word
    static constexpr size_t WORDS = (std::numeric_limits<NodeId>::max() + 1) / BITS;

    static uint64_t Bit(size_t index)
    {
        return uint64_t{1} << index % BITS;
    }

    template <typename Visitor>
    void VisitUsed(Visitor&& visit) const
    {
        for (size_t i = 0; i < m_used.size(); ++i)
        {
            for (uint64_t used = m_used[i]; used != 0; used &= used - 1)
            {
                visit(i * BITS + std::countr_zero(used));
            }
        }
    }

    std::array<uint64_t, WORDS> m_words{};
    std::array<uint64_t, WORDS / BITS> m_used{}; //!< words that are not 0
};

const Node*
FindAttribute(const Node& node)
{
    const Node* found = std::find_if(&node, node.End(), [](const Node& n) {
        return n.kind == Node::Kind::ATTRIBUTE;
    });
    return found == node.End() ? nullptr : found;
}

bool
IsComparison(const Node& node)
{
    return node.kind >= Node::Kind::EQUAL && node.kind <= Node::Kind::GREATER_EQUAL;
}

/// @return the comparison that says the same with its sides exchanged
Node::Kind
Mirror(Node::Kind kind)
{
    switch (kind)
    {
    case Node::Kind::LESS:
        return Node::Kind::GREATER;
    case Node::Kind::LESS_EQUAL:
        return Node::Kind::GREATER_EQUAL;
    case Node::Kind::GREATER:
        return Node::Kind::LESS;
    case Node::Kind::GREATER_EQUAL:
        return Node::Kind::LESS_EQUAL;
    default:
        return kind;
    }
}

/// @return the comparison that is true where @p kind is false
Node::Kind
Complement(Node::Kind kind)
{
    switch (kind)
    {
    case Node::Kind::EQUAL:
        return Node::Kind::NOT_EQUAL;
    case Node::Kind::NOT_EQUAL:
        return Node::Kind::EQUAL;
    case Node::Kind::LESS:
        return Node::Kind::GREATER_EQUAL;
    case Node::Kind::LESS_EQUAL:
        return Node::Kind::GREATER;
    case Node::Kind::GREATER:
        return Node::Kind::LESS_EQUAL;
    default:
        return Node::Kind::LESS;
    }
}

/// `attribute kind constant`, as a comparison or its negation says it.
struct Restriction
{
    const Node* attribute;
    Node::Kind kind;
    Scalar constant;
};

std::optional<Restriction>
ToRestriction(const Condition& condition, const Node& node, bool negated)
{
    if (!IsComparison(node))
    {
        return std::nullopt;
    }
    const Node* attribute = node.First();
    const Node* constant = node.Second();
    Node::Kind kind = negated ? Complement(node.kind) : node.kind;
    if (attribute->kind != Node::Kind::ATTRIBUTE)
    {
        std::swap(attribute, constant);
        kind = Mirror(kind);
    }
    if (attribute->kind != Node::Kind::ATTRIBUTE || FindAttribute(*constant))
    {
        return std::nullopt;
    }
    return Restriction{attribute, kind, EvaluateValue(condition, *constant, NoAttributes())};
}

/// @return the range that a restriction leaves, if it is one of numbers
std::optional<Range>
ToRange(const Restriction& restriction)
{
    const auto* integer = std::get_if<int64_t>(&restriction.constant);
    const auto* real = std::get_if<double>(&restriction.constant);
    if ((!integer && (!real || std::isnan(*real))) || restriction.kind == Node::Kind::NOT_EQUAL)
    {
        return std::nullopt;
    }
    const double bound = integer ? static_cast<double>(*integer) : *real;
    switch (restriction.kind)
    {
    case Node::Kind::EQUAL:
        return Range{bound, bound};
    case Node::Kind::LESS:
    case Node::Kind::LESS_EQUAL:
        return Range{-INFINITE, bound};
    default:
        return Range{bound, INFINITE};
    }
}

} // namespace

/**
 * Every filter stands in the buckets of a few keys, its cover, one of which is true of any event
 * that the filter matches; an event is evaluated against the filters in the buckets of its keys.
 */
class Matcher::Index
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
        std::vector<Key> keys = FindCover(entry, condition.nodes.front(), false).keys;
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

    // --- Covers

    /// @return a cover of the condition at @p node, or of its negation
    Cover FindCover(const Entry& entry, const Node& node, bool negated) const
    {
        const Condition& condition = entry.filter.GetCondition();
        switch (node.kind)
        {
        case Node::Kind::NOT:
            return FindCover(entry, *node.First(), !negated);
        case Node::Kind::AND:
        case Node::Kind::OR:
            return (node.kind == Node::Kind::AND) != negated
                       ? CoverConjunction(entry, node, negated)
                       : CoverDisjunction(entry, node, negated);
        case Node::Kind::IS_NULL:
            return negated ? CoverPresence(entry, node) : CoverAlways();
        case Node::Kind::BOOLEAN:
            return node.boolean != negated ? CoverAlways() : Cover();
        case Node::Kind::ATTRIBUTE:
            return CoverEquality(entry, node, !negated);
        case Node::Kind::IN:
            return negated ? CoverPresence(entry, node) : CoverIn(entry, node);
        default:
            const auto restriction = ToRestriction(condition, node, negated);
            return restriction ? CoverRestriction(entry, *restriction) : CoverPresence(entry, node);
        }
    }

    /// The best cover of any child, or of the range that children leave to an attribute together.
    Cover CoverConjunction(const Entry& entry, const Node& node, bool negated) const
    {
        const Condition& condition = entry.filter.GetCondition();
        Cover best = CoverAlways();
        const auto consider = [&best](Cover cover) {
            if (cover.cost < best.cost)
            {
                best = std::move(cover);
            }
        };
        std::vector<std::pair<uint32_t, Range>> ranges;
        for (const Node* child = node.First(); child != node.End(); child = child->End())
        {
            const auto restriction = ToRestriction(condition, *child, negated);
            const auto range = restriction ? ToRange(*restriction) : std::nullopt;
            if (range)
            {
                Intersect(ranges, entry.slots[restriction->attribute->attribute], *range);
            }
            else
            {
                consider(FindCover(entry, *child, negated));
            }
        }
        for (const auto& [slot, range] : ranges)
        {
            consider(CoverRange(slot, range));
        }
        return best;
    }

    static void Intersect(std::vector<std::pair<uint32_t, Range>>& ranges,
                          uint32_t slot,
                          const Range& range)
    {
        for (auto& [known, common] : ranges)
        {
            if (known == slot)
            {
                common.low = std::max(common.low, range.low);
                common.high = std::min(common.high, range.high);
                return;
            }
        }
        ranges.emplace_back(slot, range);
    }

    Cover CoverDisjunction(const Entry& entry, const Node& node, bool negated) const
    {
        Cover all;
        for (const Node* child = node.First(); child != node.End(); child = child->End())
        {
            Append(all, FindCover(entry, *child, negated));
        }
        all.cost = std::min(all.cost, PRESENCE);
        return std::ranges::find(all.keys, Key()) == all.keys.end() ? all : CoverAlways();
    }

    static void Append(Cover& all, const Cover& cover)
    {
        all.keys.insert(all.keys.end(), cover.keys.begin(), cover.keys.end());
        all.cost += cover.cost;
    }

    Cover CoverIn(const Entry& entry, const Node& node) const
    {
        const Condition& condition = entry.filter.GetCondition();
        if (node.First()->kind != Node::Kind::ATTRIBUTE)
        {
            return CoverPresence(entry, node);
        }
        Cover all;
        for (const Node* item = node.Second(); item != node.End(); ++item)
        {
            Append(all,
                   CoverEquality(entry,
                                 *node.First(),
                                 EvaluateValue(condition, *item, NoAttributes())));
        }
        all.cost = std::min(all.cost, PRESENCE);
        return all;
    }

    Cover CoverRestriction(const Entry& entry, const Restriction& restriction) const
    {
        if (restriction.kind == Node::Kind::EQUAL)
        {
            return CoverEquality(entry, *restriction.attribute, restriction.constant);
        }
        if (restriction.kind == Node::Kind::NOT_EQUAL)
        {
            return CoverPresence(entry, *restriction.attribute);
        }
        const auto range = ToRange(restriction);
        return range ? CoverRange(entry.slots[restriction.attribute->attribute], *range) : Cover();
    }

    Cover CoverEquality(const Entry& entry, const Node& attribute, const Scalar& value) const
    {
        const auto key = MakeEqualityKey(entry.slots[attribute.attribute], value);
        return key ? Cover{{*key}, EstimateShare(*key, m_attributes[key->slot].points)} : Cover();
    }

    Cover CoverRange(uint32_t slot, const Range& range) const
    {
        if (range.low > range.high)
        {
            return {};
        }
        if (range.low == range.high)
        {
            const Key key = MakeNumberKey(slot, Key::Kind::POINT, range.low);
            return {{key}, EstimateShare(key, m_attributes[slot].points)};
        }
        const double width = range.high - range.low;
        if (width < INFINITE)
        {
            int level = 0;
            std::frexp(width, &level);
            const Key key =
                MakeCellKey(slot, static_cast<int16_t>(level), ToCell(range.low, level));
            return {{key}, 2 * EstimateShare(key, m_attributes[slot].cells)};
        }
        const Key key = range.high == INFINITE ? MakeNumberKey(slot, Key::Kind::ABOVE, range.low)
                                               : MakeNumberKey(slot, Key::Kind::BELOW, range.high);
        return {{key}, PRESENCE / 2};
    }

    /// Whatever a condition says of an attribute but IS NULL, it is not true without the attribute.
    Cover CoverPresence(const Entry& entry, const Node& node) const
    {
        const Node* attribute = FindAttribute(node);
        if (!attribute)
        {
            return CoverAlways();
        }
        return {{{entry.slots[attribute->attribute], Key::Kind::PRESENT, 0, 0}}, PRESENCE};
    }

    static Cover CoverAlways()
    {
        return {{Key()}, 2 * PRESENCE};
    }

    /// @return how often a value is met, as far as the filters held tell
    double EstimateShare(const Key& key, uint32_t places) const
    {
        constexpr double values = 16; // as if of so many, until more is known
        const auto bucket = m_buckets.find(key);
        const size_t size = bucket == m_buckets.end() ? 0 : bucket->second.size();
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
