import type { Core } from '../../platform/core.ts'
import { loadEffectiveCrmAutomation } from '../../crm/automation/state.ts'
import { loadAnalysisProvider } from '../../check/model/service.ts'
import type { HomeSectionJson } from './schema.ts'

const RECENT_SQL = `now() - interval '7 days'`

export async function loadAutomationSection(core: Core): Promise<HomeSectionJson<'automation'>> {
  const { state, reason } = await loadEffectiveCrmAutomation(core)
  return { state, reason: state === 'blocked' ? reason : null }
}

export async function loadStorageSection({ pool, storage }: Core): Promise<HomeSectionJson<'storage'>> {
  const [freeBytes, { rows }] = await Promise.all([
    storage.freeBytes(),
    pool.query<{ addedBytes: number }>({
      text: `SELECT coalesce(sum(size_bytes), 0)::float8 AS "addedBytes" FROM recordings WHERE created_at >= ${RECENT_SQL}`,
    }),
  ])
  return { kind: storage.kind, freeBytes, addedBytes: rows[0]!.addedBytes }
}

interface ModelRequestTotals {
  requests: number
  bytes: number
  amount: number | null
  currency: string | null
}

export async function loadModelRequestsSection(core: Core): Promise<HomeSectionJson<'modelRequests'>> {
  const [{ host }, { rows }] = await Promise.all([
    loadAnalysisProvider(core),
    core.pool.query<ModelRequestTotals>({
      text: `SELECT count(*)::int AS requests, coalesce(sum(bytes), 0)::float8 AS bytes, sum(cost)::float8 AS amount,
                    max(currency) AS currency
               FROM model_requests WHERE at >= ${RECENT_SQL}`,
    }),
  ])
  const { requests, bytes, amount, currency } = rows[0]!
  return { host, requests, bytes, cost: amount === null || currency === null ? null : { amount, currency } }
}
