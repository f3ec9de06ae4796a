import type { Core } from '../../platform/core.ts'
import type { StepName } from './schema.ts'

/** Whether a step has run to its end once. */
export async function hasSucceeded(core: Core, name: StepName): Promise<boolean> {
  const { rowCount } = await core.pool.query({
    text: 'SELECT FROM crm_steps WHERE name = $1 AND last_success_at IS NOT NULL',
    values: [name],
  })
  return rowCount === 1
}

/** The funnels of all departments: deals are read from no others. */
export async function wantedFunnels(core: Core): Promise<number[]> {
  const { rows } = await core.pool.query<{ id: string }>({
    text: 'SELECT DISTINCT unnest(funnels) AS id FROM departments ORDER BY id',
  })
  return rows.map(({ id }) => Number(id))
}
