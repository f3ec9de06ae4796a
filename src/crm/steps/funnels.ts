import type { Core } from '../../app/core.ts'
import { asObject } from '../bitrix24/client.ts'
import type { Fields } from '../bitrix24/fields.ts'
import { rowsOf } from '../bitrix24/rows.ts'
import { markGone, readWhole, type Columns, type FullPass, type PassCursor } from './full-pass.ts'
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
  kind: { step: 'funnels', id: 'id', keyOf: ({ id }) => String(id) },
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

function asFunnel(fields: Fields): Columns {
  const id = fields.required('id', fields.number('id'))
  return {
    id,
    name: fields.text('name') ?? `Funnel ${id}`,
    sort: sortOf(fields, 'sort'),
    is_default: fields.flag('isDefault'),
  }
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
  kind: { step: 'stages', id: 'STATUS_ID', keyOf: ({ funnel_id: funnel, id }) => `${String(funnel)}/${String(id)}` },
  lists: async (core: Core) => {
    const { rows } = await core.pool.query<{ id: string }>({
      text: 'SELECT id FROM crm_funnels WHERE gone_at IS NULL ORDER BY id',
    })
    return rows.map(({ id }) => ({
      method: 'crm.status.list',
      params: { filter: { ENTITY_ID: id === '0' ? 'DEAL_STAGE' : `DEAL_STAGE_${id}` }, order: { SORT: 'ASC' } },
      rows: ({ result }: { result: unknown }) => rowsOf(result),
      toColumns: (fields: Fields) => asStage(fields, id),
    }))
  },
}

/** The portal's letters for the meaning of a stage. */
export const SEMANTICS = 'PSF'

function asStage(fields: Fields, funnel_id: string): Columns {
  const id = fields.required('STATUS_ID', fields.text('STATUS_ID', LONGEST_STAGE_ID))
  return {
    funnel_id,
    id,
    name: fields.text('NAME') ?? id,
    sort: sortOf(fields, 'SORT'),
    outcome: outcomeOf(fields.letter('SEMANTICS', SEMANTICS)),
  }
}

/** The portal allows at most 50 characters. */
export const LONGEST_STAGE_ID = 100

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
