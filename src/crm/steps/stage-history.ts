import type { Core } from '../../app/core.ts'
import type { Sql } from '../../platform/db/db.ts'
import { parseRows, type Fields } from '../bitrix24/fields.ts'
import { PAGE, readBehind } from '../bitrix24/rows.ts'
import { storeRows, type RowKind } from '../quarantine/store.ts'
import { readDealsById } from './deals.ts'
import { DEAL, LONGEST_STAGE_ID, outcomeOf, SEMANTICS } from './funnels.ts'
import type { CrmStep, ReadPage, Reading } from './step.ts'
import { correctEnds, storeDealsById } from './store-deals.ts'
import { hasSucceeded } from './waits.ts'

/** Rows of so many ids back are read again: one that was begun earlier may be stored later. */
const OVERLAP = 200

interface Position {
  lastId: number
}

interface Cursor extends Position {
  /** Behind which deal those are read that were moved away; undefined while the history is read. */
  deal?: string
}

/**
 * Through which stages deals went, by ascending id; of all funnels, because one may be chosen later. It also tells of deals
 * that were moved to another funnel, where nothing else may read them: these are read by their ids.
 */
export const stageHistoryStep: CrmStep<Position, Cursor> = {
  name: 'stage-history',
  intervalSeconds: 600,
  waitsFor: async (core) => ((await hasSucceeded(core, 'deals')) ? null : 'deals'),
  pages: readAll,
  end: (_, __, { position }, cursor) => Promise.resolve({ position: { lastId: (cursor ?? position)?.lastId ?? 0 } }),
}

async function* readAll(core: Core, reading: Reading<Position, Cursor>): AsyncGenerator<ReadPage<Cursor>> {
  const highest = reading.position?.lastId ?? 0
  const from = Math.max(0, highest - OVERLAP)
  let cursor: Cursor = reading.cursor ?? { lastId: from }
  if (cursor.deal === undefined) {
    for await (const page of readHistory(core, reading, cursor.lastId, highest)) {
      cursor = page.cursor
      yield page
    }
  }
  yield* readMoved(core, reading, from, cursor)
}

async function* readHistory(
  core: Core,
  { asking }: Reading<Position, Cursor>,
  from: number,
  highest: number,
): AsyncGenerator<ReadPage<Cursor>> {
  for (let lastId = from; ;) {
    const page = await readBehind(
      core,
      asking,
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
    const { isLast } = page
    const parsed = parseRows(page.rows, asMove, page.rejected)
    lastId = page.lastId
    // An id below the highest one is not to be forgotten, whatever the overlap gave.
    const cursor = isLast ? { lastId: Math.max(lastId, highest), deal: '0' } : { lastId }
    yield { cursor, store: (sql) => storeRows(sql, KIND, parsed, (moves) => writeMoves(sql, moves)), more: true }
    if (isLast) return
  }
}

/** Reads the deals whose last move, among those behind that id, led to another funnel than the one that is known. */
async function* readMoved(
  core: Core,
  { asking, generation }: Reading<Position, Cursor>,
  from: number,
  cursor: Cursor,
): AsyncGenerator<ReadPage<Cursor>> {
  for (let deal = cursor.deal ?? '0'; ;) {
    const ids = await movedDeals(core.pool, from, deal)
    if (ids.length === 0) return
    const rows = await readDealsById(core, asking, ids)
    deal = ids.at(-1)!
    yield { cursor: { ...cursor, deal }, store: (sql) => storeDealsById(sql, rows, generation), more: true }
  }
}

async function movedDeals(sql: Sql, from: number, behind: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>({
    text: `SELECT d.id FROM crm_deals d
             JOIN LATERAL (SELECT h.funnel_id FROM crm_stage_history h WHERE h.deal_id = d.id
                            ORDER BY h.moved_at DESC, h.id DESC LIMIT 1) l ON l.funnel_id <> d.funnel_id
            WHERE d.id > $2 AND d.gone_at IS NULL AND d.id IN (SELECT deal_id FROM crm_stage_history WHERE id > $1)
            ORDER BY d.id LIMIT ${PAGE}`,
    values: [from, behind],
  })
  return rows.map(({ id }) => id)
}

const FIELDS = ['ID', 'TYPE_ID', 'OWNER_ID', 'CREATED_TIME', 'CATEGORY_ID', 'STAGE_SEMANTIC_ID', 'STAGE_ID']

type Move = ReturnType<typeof asMove>

const KIND: RowKind<Move> = { step: 'stage-history', id: 'ID', keyOf: ({ id }) => id }

async function writeMoves(sql: Sql, moves: Move[]): Promise<{ new: number; changed: number }> {
  const { rows: stored } = await sql.query<{ deal: string }>({
    text: `INSERT INTO crm_stage_history (id, deal_id, type, funnel_id, stage_id, outcome, moved_at)
           SELECT * FROM jsonb_to_recordset($1::jsonb)
             AS g (id bigint, deal_id bigint, type smallint, funnel_id bigint, stage_id text, outcome text, moved_at timestamptz)
           ON CONFLICT (id) DO NOTHING RETURNING deal_id AS deal`,
    values: [JSON.stringify(moves)],
  })
  await correctEnds(sql, [...new Set(stored.map(({ deal }) => deal))])
  return { new: stored.length, changed: 0 }
}

/** The kind of a move is a small number. */
const LARGEST_TYPE = 99

function asMove(fields: Fields) {
  return {
    id: fields.required('ID', fields.id('ID')),
    deal_id: fields.required('OWNER_ID', fields.id('OWNER_ID')),
    type: fields.required('TYPE_ID', fields.number('TYPE_ID', 0, LARGEST_TYPE)),
    funnel_id: fields.number('CATEGORY_ID'),
    stage_id: fields.text('STAGE_ID', LONGEST_STAGE_ID) ?? '',
    outcome: outcomeOf(fields.letter('STAGE_SEMANTIC_ID', SEMANTICS)),
    moved_at: fields.required('CREATED_TIME', fields.time('CREATED_TIME')),
  }
}
