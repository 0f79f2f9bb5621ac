/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_MATCHER_COVERS_H
#define MFTPUBSUB_CONTENT_MATCHER_COVERS_H

#include "content/matcher-keys.h"

#include <utility>
#include <vector>

namespace mftpubsub::matching
{

/// The numbers that a condition leaves to an attribute, bounds included.
struct Range
{
    double low{-INFINITE};
    double high{INFINITE};
};

/// `attribute kind constant`, as a comparison or its negation says it.
struct Restriction
{
    const Node* attribute;
    Node::Kind kind;
    Scalar constant;
};

/// @return what the comparison @p node, or its negation, asks of an attribute, if of one alone
std::optional<Restriction> ToRestriction(const Condition& condition,
                                         const Node& node,
                                         bool negated);

/// @return the range that a restriction leaves, if it is one of numbers
std::optional<Range> ToRange(const Restriction& restriction);

/// Narrows the range of attribute @p slot among @p ranges to @p range.
void Intersect(std::vector<std::pair<uint32_t, Range>>& ranges, uint32_t slot, const Range& range);

/// A condition is true only of events for which one of `keys` is.
struct Cover
{
    std::vector<Key> keys;
    double cost{0}; //!< share of the events that it is estimated to let through
};

/// How often values are met, as far as the filters held tell.
class Shares
{
  public:
    virtual ~Shares() = default;

    /// @return the share of the events that have @p key, of an equality or a cell
    virtual double Estimate(const Key& key) const = 0;
};

/// Finds covers of one filter's condition.
class CoverFinder
{
  public:
    /// @param slots of the condition's attributes, by their number
    CoverFinder(const Condition& condition, const uint32_t* slots, const Shares& shares);

    /// @return a cover of the condition at @p node, or of its negation
    Cover Find(const Node& node, bool negated) const;

  private:
    /// The best cover of any child, or of the range that children leave to an attribute together.
    Cover CoverConjunction(const Node& node, bool negated) const;
    Cover CoverDisjunction(const Node& node, bool negated) const;
    Cover CoverIn(const Node& node) const;
    Cover CoverRestriction(const Restriction& restriction) const;
    Cover CoverEquality(const Node& attribute, const Scalar& value) const;
    Cover CoverRange(uint32_t slot, const Range& range) const;

    /// Whatever a condition says of an attribute but IS NULL, it is not true without the attribute.
    Cover CoverPresence(const Node& node) const;

    const Condition& m_condition;
    const uint32_t* m_slots;
    const Shares& m_shares;
};

} // namespace mftpubsub::matching

#endif /* MFTPUBSUB_CONTENT_MATCHER_COVERS_H */
