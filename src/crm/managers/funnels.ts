import type { Core } from '../../platform/core.ts'

/** The funnels that were read, in the order of the CRM. */
export async function listFunnels({ pool }: Core): Promise<{ id: number; name: string }[]> {
  const { rows } = await pool.query<{ id: string; name: string }>({
    text: 'SELECT id, name FROM crm_funnels WHERE gone_at IS NULL ORDER BY sort, id',
  })
  return rows.map(({ id, name }) => ({ id: Number(id), name }))
}
