/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_CELL_LOSSES_H
#define MFTPUBSUB_WSN_CELL_LOSSES_H

#include "content/position.h"
#include "wsn/plausible-cells.h"
#include "wsn/shadowing.h"
#include "wsn/walls.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace mftpubsub
{

/// One entry of an explicit path-loss table. Places are devices (static) or cells (mobile).
struct PathLossEntry
{
    uint32_t from{0}; //!< place of the sender
    uint32_t to{0};   //!< place of the receiver
    float lossDb{0};  //!< dB
};

/// Path loss of what is never delivered, dB.
inline constexpr float NEVER_DELIVERED = std::numeric_limits<float>::infinity();

/**
 * Path losses between the cells of a field (BEHAVIOUR points 1 to 5, mobile case): computed when
 * they are asked for, and remembered where the field is small enough for that; or given.
 */
class CellLosses
{
  public:
    /// Mean path loss (dB) of a distance (m).
    using MeanLoss = std::function<float(float distance)>;

    /**
     * Divides a field. Everything else comes after it.
     *
     * @param width of the field, m
     * @param height of the field, m
     * @param cellSize side of a cell, m
     * @throw std::invalid_argument if there are too many cells to a side
     */
    void Divide(double width, double height, double cellSize);

    /**
     * Uses these path losses; pairs that are not named never hear each other.
     *
     * @param entries path losses between cells
     * @throw std::invalid_argument for a cell that does not exist
     */
    void SetTable(std::span<const PathLossEntry> entries);

    /**
     * Computes path losses, unless there is a table.
     *
     * @param meanLoss without shadowing
     * @param cutDistance beyond it nothing is delivered, m
     * @param largestLossDb beyond it nothing is delivered, dB
     * @param shadowing what to add, which must stay
     * @param walls what to add, which must stay
     */
    void Compute(const MeanLoss& meanLoss,
                 float cutDistance,
                 double largestLossDb,
                 const Shadowing& shadowing,
                 const Walls& walls);

    /// @return whether there is a table
    bool HasTable() const
    {
        return m_hasTable;
    }

    /// @return the cell at @p position; who is outside the field counts to the nearest
    Cell CellOf(const Position& position) const;

    /// @return distance between the origins of two cells, at their heights, m
    float GetDistance(const Cell& from, const Cell& to) const;

    /// @return what walls between the middles of two cells take, at their heights, dB; 0 before
    /// Compute
    double GetWallLossDb(const Cell& from, const Cell& to) const;

    /// @return path loss, dB; infinite if never delivered
    float Get(const Cell& from, const Cell& to);

    /// Somebody whom a signal reaches.
    struct Reached
    {
        uint32_t device;
        float lossDb; //!< dB
    };

    /**
     * Get for many at once.
     *
     * @param from cell of the sender
     * @param devices whom it may reach
     * @param cells of all devices
     * @return those whom it does reach, in the same order, until the next call
     */
    std::span<const Reached> Find(const Cell& from,
                                  std::span<const uint32_t> devices,
                                  std::span<const Cell> cells);

  private:
    /// What Find works with, of those that may be reached; kept for its memory.
    struct Search
    {
        std::vector<uint32_t> devices;
        std::vector<uint32_t> places;
        std::vector<float> means;  //!< dB
        std::vector<float> losses; //!< dB
        std::vector<Reached> reached;
    };

    /// Path losses from one cell to those around it; NaN where not asked for yet.
    struct Row
    {
        uint32_t firstColumn{0};
        uint32_t firstRow{0};
        uint32_t columns{0};
        std::vector<float> lossDb; //!< row by row
    };

    Row& RowOf(const Cell& cell);
    /// @return whether path losses between the two are those between their cells on the ground
    bool IsAsOnGround(const Cell& from, const Cell& to) const;
    /// @return path loss without shadowing, dB
    float MeanOf(const Cell& from, const Cell& to) const;
    /// @return what Get returns, not looked up
    float ComputeLoss(const Cell& from, const Cell& to) const;
    void FindRemembered(const Cell& from,
                        std::span<const uint32_t> devices,
                        std::span<const Cell> cells);
    /// Adds what walls take to the means of a search.
    void AddWalls(const Cell& from, std::span<const Cell> cells);
    void FindComputed(const Cell& from,
                      std::span<const uint32_t> devices,
                      std::span<const Cell> cells);

    double m_width{0};    //!< m
    double m_height{0};   //!< m
    double m_cellSize{0}; //!< m
    uint32_t m_columns{0};
    uint32_t m_rows{0};
    MeanLoss m_meanLoss;       //!< in space, NEVER_DELIVERED beyond the cut
    double m_largestLossDb{0}; //!< dB
    const Shadowing* m_shadowing{nullptr};
    const Walls* m_walls{nullptr}; //!< null: there are none
    bool m_hasTable{false};
    /// By cell of the sender; none in a field that is too large to remember them.
    std::vector<std::unique_ptr<Row>> m_remembered;
    std::vector<float>
        m_means; //!< dB, of a plane, by |dx|, |dy| in cells; the last is of those out of reach
    uint32_t m_side{0};         //!< side of m_means, cells
    PlausibleCells m_plausible; //!< where nothing is remembered

    Search m_search;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_CELL_LOSSES_H */
