import type { Core } from '../../core.ts'
import type { Sql } from '../../db.ts'
import { readBehind, type Row } from '../portal/rows.ts'
import { idOf, numberOf, textOf, timeOf } from '../values.ts'
import { DEAL, outcomeOf } from './funnels.ts'
import type { CrmStep, Counts, ReadPage, Reading } from './step.ts'
import { hasSucceeded } from './waits.ts'

/** Rows of so many ids back are read again: one that was begun earlier may be stored later. */
const OVERLAP = 200

interface Position {
  lastId: number
}

/** Through which stages deals went, by ascending id; of all funnels, because one may be chosen later. */
export const stageHistoryStep: CrmStep<Position, Position> = {
  name: 'stage-history',
  intervalSeconds: 600,
  waitsFor: async (core) => ((await hasSucceeded(core, 'deals')) ? null : 'deals'),
  pages: readHistory,
  end: (_, __, { position }, cursor) => Promise.resolve({ position: cursor ?? position ?? { lastId: 0 } }),
}

async function* readHistory(core: Core, reading: Reading<Position, Position>): AsyncGenerator<ReadPage<Position>> {
  let { lastId } = reading.cursor ?? { lastId: Math.max(0, (reading.position?.lastId ?? 0) - OVERLAP) }
  const highest = reading.position?.lastId ?? 0
  for (;;) {
    const page = await readBehind(
      core,
      reading.asking,
      {
        method: 'crm.stagehistory.list',
        params: { entityTypeId: DEAL, select: FIELDS },
        order: { order: { ID: 'ASC' } },
        filter: 'filter',
        id: 'ID',
        within: 'items',
      },
      lastId,
    )
    const { rows, isLast } = page
    lastId = page.lastId
    // An id below the highest one is not to be forgotten, whatever the overlap gave.
    yield {
      cursor: { lastId: isLast ? Math.max(lastId, highest) : lastId },
      store: (sql) => storeHistory(sql, rows),
      more: !isLast,
    }
    if (isLast) return
  }
}

const FIELDS = ['ID', 'TYPE_ID', 'OWNER_ID', 'CREATED_TIME', 'CATEGORY_ID', 'STAGE_SEMANTIC_ID', 'STAGE_ID']

async function storeHistory(sql: Sql, rows: Row[]): Promise<Counts> {
  const moves = rows.map(asMove).filter((move) => move !== undefined)
  const { rowCount } = await sql.query({
    text: `INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
           SELECT * FROM jsonb_to_recordset($1::jsonb)
             AS g (id bigint, deal_id bigint, type smallint, funnel_id bigint, stage_id text, outcome text, moved_at timestamptz)
           ON CONFLICT (id) DO NOTHING`,
    values: [JSON.stringify(moves)],
  })
  return { read: rows.length, new: rowCount ?? 0, changed: 0 }
}

function asMove(row: Row) {
  const [id, deal_id, moved_at] = [idOf(row.ID), idOf(row.OWNER_ID), timeOf(row.CREATED_TIME)]
  const type = numberOf(row.TYPE_ID)
  if (id === null || deal_id === null || moved_at === null || type === null || type < 0 || type > 99) return undefined
  const outcome = outcomeOf(row.STAGE_SEMANTIC_ID)
  return {
    id,
    deal_id,
    type,
    funnel_id: numberOf(row.CATEGORY_ID),
    stage_id: textOf(row.STAGE_ID) ?? '',
    outcome,
    moved_at,
  }
}
