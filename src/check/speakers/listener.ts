import type { CallListener } from '../../calls/listener.ts'
import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { CHECK_PRIORITY, enqueueRepeatedCheck } from '../checks/check-requests.ts'
import { loadPublishedRuleSets } from '../checks/published-sets.ts'
import type { Dialogue, Evidence } from '../rules/types.ts'
import { detectAgent } from './find-agent.ts'
import { moveEvidence } from './move-evidence.ts'
import { toCertainDialogue } from './voice-segments.ts'

/** Finds the agent among two voices. If the speakers of a call change, moves its quotes and queues another check. */
export const speakersListener: CallListener = {
  async findAgent(sql, recordingId, segments) {
    const { rows } = await sql.query<Pick<Dialogue, 'direction'>>({
      text: 'SELECT direction FROM recordings WHERE id = $1',
      values: [recordingId],
    })
    const ruleSets = (await loadPublishedRuleSets(sql)).map(({ body }) => body)
    const dialogue = toCertainDialogue(segments, rows[0]?.direction ?? null)
    return detectAgent(dialogue, ruleSets)
  },
  async speakersChanged(sql, config, recordingId, isUrgent, segments) {
    if (segments) await moveFindings(sql, recordingId, segments)
    const { rows } = await sql.query({
      text: 'SELECT FROM analyses WHERE recording_id = $1 LIMIT 1',
      values: [recordingId],
    })
    // Every rule about one side must be judged again.
    if (rows.length === 0 || config.ANALYSIS_PROVIDER === 'none') return []
    await enqueueRepeatedCheck(sql, recordingId, isUrgent ? CHECK_PRIORITY.person : CHECK_PRIORITY.recheck)
    return ['analysis']
  },
}

/** Moves the quotes of findings to the segments that now have their words. */
async function moveFindings(
  sql: Sql,
  recordingId: string,
  { before, after }: { before: TranscriptSegment[]; after: TranscriptSegment[] },
): Promise<void> {
  if (before.length === after.length) return
  const { rows } = await sql.query<{ id: string; evidence: Evidence[] }>({
    text: `SELECT f.id, f.evidence FROM findings f JOIN analyses a ON a.id = f.analysis_id
            WHERE a.recording_id = $1 AND f.evidence <> '[]' ORDER BY f.id`,
    values: [recordingId],
  })
  const moved = rows.map(({ id, evidence }) => ({ id, evidence: moveEvidence(evidence, before, after) }))
  await sql.query({
    text: `UPDATE findings f SET evidence = m.evidence
             FROM jsonb_to_recordset($1::jsonb) AS m (id uuid, evidence jsonb) WHERE f.id = m.id`,
    values: [JSON.stringify(moved)],
  })
}
