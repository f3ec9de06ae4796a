import type { Sql } from '../../platform/db/sql.ts'
import { fetchDealsById, fetchStageMovesAfterId, type DealStageMove } from '../bitrix24/deals.ts'
import { PORTAL_PAGE_SIZE } from '../bitrix24/rows.ts'
import { storePortalRows, type PortalRowKind, type RowChangeCounts } from '../quarantine/store.ts'
import type { CrmStep } from './crm-step.ts'
import { updateDealClosingTimes, storeDealsFetchedById } from './store-deals.ts'

/** Reads this many ids again, because the portal can store a row with a lower id later. */
const OVERLAP_IDS = 200

interface Position {
  lastId: number
}

interface Cursor extends Position {
  /** The last deal that was read again after a move; undefined while the history is read. */
  deal?: string
}

/**
 * Reads the stage moves of all funnels, because a department can choose a funnel later.
 * Then it reads the deals again that moved to another funnel.
 */
export const crmStageHistoryStep: CrmStep<Position, Cursor> = {
  name: 'stage-history',
  intervalSeconds: 600,
  after: 'deals',
  async *pages(core, context) {
    const { access } = context
    const highestId = context.position?.lastId ?? 0
    const from = Math.max(0, highestId - OVERLAP_IDS)
    let cursor: Cursor = context.cursor ?? { lastId: from }
    while (cursor.deal === undefined) {
      const { moves, lastId, isLast } = await fetchStageMovesAfterId(core, access, cursor.lastId)
      // With the overlap, the last page can end below the highest id.
      cursor = isLast ? { lastId: Math.max(lastId, highestId), deal: '0' } : { lastId }
      yield {
        cursor,
        store: (sql) => storePortalRows(sql, MOVE_ROW_KIND, moves, (rows) => insertStageMoves(sql, rows)),
      }
    }
    for (;;) {
      const ids = await listMovedDealIds(core.pool, from, cursor.deal)
      if (ids.length === 0) return
      const { rows } = await fetchDealsById(core, access, ids)
      cursor = { ...cursor, deal: ids.at(-1)! }
      yield { cursor, store: (sql) => storeDealsFetchedById(sql, rows) }
    }
  },
  end: (_, __, { position }, cursor) => Promise.resolve({ position: { lastId: (cursor ?? position)?.lastId ?? 0 } }),
}

/**
 * Lists deals whose last stage move led to another funnel than the stored one.
 * @param from considers only deals with a move after this id
 * @param after the deal id before the page
 */
async function listMovedDealIds(sql: Sql, from: number, after = '0'): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT d.id FROM crm_deals d
             JOIN LATERAL (SELECT h.funnel_id FROM crm_stage_history h WHERE h.deal_id = d.id
                            ORDER BY h.moved_at DESC, h.id DESC LIMIT 1) l ON l.funnel_id <> d.funnel_id
            WHERE d.id > $2 AND d.gone_at IS NULL AND d.id IN (SELECT deal_id FROM crm_stage_history WHERE id > $1)
            ORDER BY d.id LIMIT ${PORTAL_PAGE_SIZE}`,
    values: [from, after],
  })
  return rows.map(({ id }) => id)
}

const MOVE_ROW_KIND: PortalRowKind<DealStageMove> = { step: 'stage-history', id: 'ID', keyOf: ({ id }) => id }

async function insertStageMoves(sql: Sql, moves: DealStageMove[]): Promise<RowChangeCounts> {
  const { rows: stored } = await sql.query<{ deal: string }>({
    text: `INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
           SELECT * FROM jsonb_to_recordset($1::jsonb)
             AS g (id bigint, deal_id bigint, type smallint, funnel_id bigint, stage_id text, outcome text, moved_at timestamptz)
           ON CONFLICT (id) DO NOTHING RETURNING deal_id AS deal`,
    values: [JSON.stringify(moves)],
  })
  await updateDealClosingTimes(sql, [...new Set(stored.map(({ deal }) => deal))])
  return { new: stored.length, changed: 0 }
}
