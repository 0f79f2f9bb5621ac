/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_CONTENT_MATCHER_KEYS_H
#define MFTPUBSUB_CONTENT_MATCHER_KEYS_H

#include "content/condition.h"

#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <variant>

namespace mftpubsub::matching
{

inline constexpr double INFINITE = std::numeric_limits<double>::infinity();

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
inline uint64_t
ToSortable(double number)
{
    constexpr uint64_t sign = uint64_t{1} << 63;
    const auto bits = std::bit_cast<uint64_t>(number + 0.0);
    return bits & sign ? ~bits : bits | sign;
}

/// @return the number that @p value is, rounded to a double; NaN if it is none
inline double
ToNumber(const Value& value)
{
    const auto* integer = std::get_if<int64_t>(&value);
    const auto* real = std::get_if<double>(&value);
    return integer ? static_cast<double>(*integer)
           : real  ? *real
                   : std::numeric_limits<double>::quiet_NaN();
}

inline double
ToCell(double number, int level)
{
    return std::floor(std::ldexp(number, -level));
}

inline Key
MakeNumberKey(uint32_t slot, Key::Kind kind, double number)
{
    return {slot, kind, 0, ToSortable(number)};
}

inline Key
MakeCellKey(uint32_t slot, int16_t level, double cell)
{
    return {slot, Key::Kind::CELL, level, ToSortable(cell)};
}

/// @return the key of a value that equals @p value, if there is one
inline std::optional<Key>
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

} // namespace mftpubsub::matching

#endif /* MFTPUBSUB_CONTENT_MATCHER_KEYS_H */
