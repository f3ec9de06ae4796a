import type { Core } from '../../core.ts'
import { asObject } from '../portal/client.ts'
import { rowsOf, type Row } from '../portal/rows.ts'
import { flagOf, numberOf, textOf } from '../values.ts'
import { markGone, readWhole, type FullPass, type PassCursor } from './full-pass.ts'
import { SIX_HOURS, sortOf } from './people.ts'
import type { CrmStep } from './step.ts'
import { hasSucceeded } from './waits.ts'

const SEEN = ['seen_in = $2', 'gone_at = NULL', 'read_at = now()']

/** The number of deals among the portal’s kinds of entities. */
export const DEAL = 2

const funnels: FullPass = {
  target: {
    table: 'crm_funnels',
    key: ['id'],
    columns: { id: 'bigint', name: 'text', sort: 'integer', is_default: 'boolean' },
    also: SEEN,
  },
  lists: () =>
    Promise.resolve([
      {
        method: 'crm.category.list',
        params: { entityTypeId: DEAL },
        rows: ({ result }) => rowsOf(asObject(result).categories),
        toColumns: asFunnel,
      },
    ]),
}

function asFunnel(row: Row): Record<string, unknown> | undefined {
  const id = numberOf(row.id)
  if (id === null) return undefined
  return { id, name: textOf(row.name) ?? `Funnel ${id}`, sort: sortOf(row.sort), is_default: flagOf(row.isDefault) }
}

export const funnelsStep: CrmStep<never, PassCursor> = {
  name: 'funnels',
  intervalSeconds: SIX_HOURS,
  waitsFor: () => Promise.resolve(null),
  pages: (core, reading) => readWhole(core, reading, funnels),
  end: (_, sql, __, cursor) => markGone(sql, 'crm_funnels', cursor),
}

const stages: FullPass = {
  target: {
    table: 'crm_stages',
    key: ['funnel_id', 'id'],
    columns: { funnel_id: 'bigint', id: 'text', name: 'text', sort: 'integer', outcome: 'text' },
    also: SEEN,
  },
  lists: async (core: Core) => {
    const { rows } = await core.pool.query<{ id: string }>({
      text: 'SELECT id FROM crm_funnels WHERE gone_at IS NULL ORDER BY id',
    })
    return rows.map(({ id }) => ({
      method: 'crm.status.list',
      params: { filter: { ENTITY_ID: id === '0' ? 'DEAL_STAGE' : `DEAL_STAGE_${id}` }, order: { SORT: 'ASC' } },
      rows: ({ result }: { result: unknown }) => rowsOf(result),
      toColumns: (row: Row) => asStage(row, id),
    }))
  },
}

function asStage(row: Row, funnel_id: string): Record<string, unknown> | undefined {
  const id = textOf(row.STATUS_ID)
  if (id === null) return undefined
  return { funnel_id, id, name: textOf(row.NAME) ?? id, sort: sortOf(row.SORT), outcome: outcomeOf(row.SEMANTICS) }
}

/** What a stage means for its deal, as the portal's letter says it. */
export const outcomeOf = (semantics: unknown): 'open' | 'won' | 'lost' =>
  semantics === 'S' ? 'won' : semantics === 'F' ? 'lost' : 'open'

export const stagesStep: CrmStep<never, PassCursor> = {
  name: 'stages',
  intervalSeconds: SIX_HOURS,
  waitsFor: async (core) => ((await hasSucceeded(core, 'funnels')) ? null : 'funnels'),
  pages: (core, reading) => readWhole(core, reading, stages),
  end: (_, sql, __, cursor) => markGone(sql, 'crm_stages', cursor),
}
