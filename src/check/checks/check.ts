import type { Core } from '../../platform/core.ts'
import { ClaimLost, type Job } from '../../platform/queue/queue.ts'
import { loadCalls, type Call } from './call.ts'
import { judgeBy, type Judged } from './providers.ts'
import { publishedSets, setsFor } from './sets.ts'

/** What a check has found; without a set that applies, why it was skipped. */
export type CheckResult = Checked | { skipped: 'noTranscript' | 'noRuleSet' }

/** A call with what each set has made of it. */
export interface Checked {
  call: Call
  score: Judged | undefined
  labels: Judged[]
}

/** Checks the call of a job by the sets that are published now. */
export async function checkCall(core: Core, job: Job): Promise<CheckResult> {
  const { rows } = await core.pool.query<{ recordingId: string }>({
    text: 'SELECT recording_id AS "recordingId" FROM analyses WHERE id = $1',
    values: [job.id],
  })
  if (!rows[0]) throw new ClaimLost()
  const [call] = await loadCalls(core.pool, [rows[0].recordingId])
  if (!call) return { skipped: 'noTranscript' }
  const { score, labels } = setsFor(await publishedSets(core.pool), call)
  if (!score && labels.length === 0) return { skipped: 'noRuleSet' }
  const judged = score && (await judgeBy(core, job, call, score))
  const labelled: Judged[] = []
  for (const set of labels) labelled.push(await judgeBy(core, job, call, set))
  return { call, score: judged, labels: labelled }
}
