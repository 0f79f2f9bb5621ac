/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "content/matcher-covers.h"

#include <algorithm>
#include <cmath>

namespace mftpubsub::matching
{

namespace
{

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

void
Append(Cover& all, const Cover& cover)
{
    all.keys.insert(all.keys.end(), cover.keys.begin(), cover.keys.end());
    all.cost += cover.cost;
}

Cover
CoverAlways()
{
    return {{Key()}, 2 * PRESENCE};
}

} // namespace

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

void
Intersect(std::vector<std::pair<uint32_t, Range>>& ranges, uint32_t slot, const Range& range)
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

CoverFinder::CoverFinder(const Condition& condition, const uint32_t* slots, const Shares& shares)
    : m_condition(condition),
      m_slots(slots),
      m_shares(shares)
{
}

Cover
CoverFinder::Find(const Node& node, bool negated) const
{
    switch (node.kind)
    {
    case Node::Kind::NOT:
        return Find(*node.First(), !negated);
    case Node::Kind::AND:
    case Node::Kind::OR:
        return (node.kind == Node::Kind::AND) != negated ? CoverConjunction(node, negated)
                                                         : CoverDisjunction(node, negated);
    case Node::Kind::IS_NULL:
        return negated ? CoverPresence(node) : CoverAlways();
    case Node::Kind::BOOLEAN:
        return node.boolean != negated ? CoverAlways() : Cover();
    case Node::Kind::ATTRIBUTE:
        return CoverEquality(node, !negated);
    case Node::Kind::IN:
        return negated ? CoverPresence(node) : CoverIn(node);
    default:
        const auto restriction = ToRestriction(m_condition, node, negated);
        return restriction ? CoverRestriction(*restriction) : CoverPresence(node);
    }
}

Cover
CoverFinder::CoverConjunction(const Node& node, bool negated) const
{
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
        const auto restriction = ToRestriction(m_condition, *child, negated);
        const auto range = restriction ? ToRange(*restriction) : std::nullopt;
        if (range)
        {
            Intersect(ranges, m_slots[restriction->attribute->attribute], *range);
        }
        else
        {
            consider(Find(*child, negated));
        }
    }
    for (const auto& [slot, range] : ranges)
    {
        consider(CoverRange(slot, range));
    }
    return best;
}

Cover
CoverFinder::CoverDisjunction(const Node& node, bool negated) const
{
    Cover all;
    for (const Node* child = node.First(); child != node.End(); child = child->End())
    {
        Append(all, Find(*child, negated));
    }
    all.cost = std::min(all.cost, PRESENCE);
    return std::ranges::find(all.keys, Key()) == all.keys.end() ? all : CoverAlways();
}

Cover
CoverFinder::CoverIn(const Node& node) const
{
    if (node.First()->kind != Node::Kind::ATTRIBUTE)
    {
        return CoverPresence(node);
    }
    Cover all;
    for (const Node* item = node.Second(); item != node.End(); ++item)
    {
        Append(all,
               CoverEquality(*node.First(), EvaluateValue(m_condition, *item, NoAttributes())));
    }
    all.cost = std::min(all.cost, PRESENCE);
    return all;
}

Cover
CoverFinder::CoverRestriction(const Restriction& restriction) const
{
    if (restriction.kind == Node::Kind::EQUAL)
    {
        return CoverEquality(*restriction.attribute, restriction.constant);
    }
    if (restriction.kind == Node::Kind::NOT_EQUAL)
    {
        return CoverPresence(*restriction.attribute);
    }
    const auto range = ToRange(restriction);
    return range ? CoverRange(m_slots[restriction.attribute->attribute], *range) : Cover();
}

Cover
CoverFinder::CoverEquality(const Node& attribute, const Scalar& value) const
{
    const auto key = MakeEqualityKey(m_slots[attribute.attribute], value);
    return key ? Cover{{*key}, m_shares.Estimate(*key)} : Cover();
}

Cover
CoverFinder::CoverRange(uint32_t slot, const Range& range) const
{
    if (range.low > range.high)
    {
        return {};
    }
    if (range.low == range.high)
    {
        const Key key = MakeNumberKey(slot, Key::Kind::POINT, range.low);
        return {{key}, m_shares.Estimate(key)};
    }
    const double width = range.high - range.low;
    if (width < INFINITE)
    {
        int level = 0;
        std::frexp(width, &level);
        const Key key = MakeCellKey(slot, static_cast<int16_t>(level), ToCell(range.low, level));
        return {{key}, 2 * m_shares.Estimate(key)};
    }
    const Key key = range.high == INFINITE ? MakeNumberKey(slot, Key::Kind::ABOVE, range.low)
                                           : MakeNumberKey(slot, Key::Kind::BELOW, range.high);
    return {{key}, PRESENCE / 2};
}

Cover
CoverFinder::CoverPresence(const Node& node) const
{
    const Node* attribute = FindAttribute(node);
    if (!attribute)
    {
        return CoverAlways();
    }
    return {{{m_slots[attribute->attribute], Key::Kind::PRESENT, 0, 0}}, PRESENCE};
}

} // namespace mftpubsub::matching
