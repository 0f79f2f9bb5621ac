/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_WSN_PLAUSIBLE_CELLS_H
#define MFTPUBSUB_WSN_PLAUSIBLE_CELLS_H

#include "wsn/shadowing.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace mftpubsub
{

/// A cell of the field, and how high over it.
struct Cell
{
    uint32_t index{0}; //!< row by row
    uint16_t column{0};
    uint16_t row{0};
    float height{0}; //!< m
};

/**
 * Which cells around a cell shadowing lets hear it at all, a bit each: a square around the cell,
 * found when it first sends, and kept for as many cells as there is memory for.
 */
class PlausibleCells
{
  public:
    /// The cells around one; until another is asked for.
    class Square
    {
      public:
        /// @return whether @p to may hear
        bool Has(const Cell& to) const
        {
            // Unsigned differences: a cell before the square is far beyond its end.
            const uint32_t column = to.column - m_firstColumn;
            const uint32_t row = to.row - m_firstRow;
            const bool isInside = column < m_side && row < m_side;
            const uint32_t bit = isInside ? row * m_stride + column : 0;
            return isInside & (m_bits[bit / 8] >> (bit % 8) & 1);
        }

      private:
        friend class PlausibleCells;
        const uint8_t* m_bits;
        uint32_t m_firstColumn;
        uint32_t m_firstRow;
        uint32_t m_side;
        uint32_t m_stride;
    };

    /**
     * Forgets everything.
     *
     * @param columns of the field, cells
     * @param rows of the field, cells
     * @param largestDraws what Shadowing::GetLargestDraw says of a place so many columns and rows
     *        away, by rows: a square, out of reach beyond it
     */
    void Reset(uint32_t columns,
               uint32_t rows,
               const std::vector<std::vector<uint32_t>>& largestDraws);

    /// @return the cells that may hear @p from
    Square Around(const Cell& from, const Shadowing& shadowing);

  private:
    /// What is kept of one cell.
    struct Kept
    {
        uint32_t cell{std::numeric_limits<uint32_t>::max()};
        std::vector<uint8_t> bits; //!< row by row, each from a byte of its own on
    };

    void Find(const Cell& from, const Shadowing& shadowing, std::vector<uint8_t>& bits) const;

    uint32_t m_columns{0};
    uint32_t m_rows{0};
    uint32_t m_reach{0};                  //!< to each side, cells
    uint32_t m_stride{0};                 //!< bits of a row of a square
    std::vector<uint32_t> m_largestDraws; //!< by |dy|, and then by dx from the first column on
    std::vector<Kept> m_kept;             //!< by the cell's index, modulo their number
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_WSN_PLAUSIBLE_CELLS_H */
