/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_SHARED_VALUES_H
#define MFTPUBSUB_PROTOCOLS_MESH_SHARED_VALUES_H

#include <memory>
#include <unordered_set>
#include <utility>

namespace mftpubsub::mesh
{

/// Values that many have, each kept once: while somebody has it. `Hash` is of what they say.
template <typename T, typename Hash>
class SharedValues
{
  public:
    using Value = std::shared_ptr<const T>;

    Value Get(T value)
    {
        auto shared = std::make_shared<const T>(std::move(value));
        if (const auto found = m_values.find(shared); found != m_values.end())
        {
            return *found;
        }
        if (m_values.size() >= m_most)
        {
            std::erase_if(m_values, [](const auto& unused) { return unused.use_count() == 1; });
            m_most = 2 * m_values.size() + LEAST;
        }
        return *m_values.insert(std::move(shared)).first;
    }

    /// @return how many it has, of which at most half and LEAST are not in use
    size_t Count() const
    {
        return m_values.size();
    }

  private:
    static constexpr size_t LEAST = 16;

    struct HashOfValue
    {
        size_t operator()(const Value& value) const
        {
            return Hash()(*value);
        }
    };

    struct Equal
    {
        bool operator()(const Value& one, const Value& other) const
        {
            return *one == *other;
        }
    };

    std::unordered_set<Value, HashOfValue, Equal> m_values;
    size_t m_most{LEAST};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_SHARED_VALUES_H */
