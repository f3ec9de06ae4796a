import { recordAuditChange } from '../../platform/audit/entries.ts'
import { runInTransaction } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { badRequestError, conflictError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { assignSpeakers } from '../../platform/lib/speaker-segments.ts'
import type { CallsCore } from '../core.ts'
import { loadAgentChannel } from '../transcripts/speakers.ts'
import { speakerMessages } from './messages.ts'
import type { PhraseJson, SpeakersChange, CallAgentJson } from './schema.ts'
import { loadSegments, replaceSegments } from './segments.ts'

/**
 * Corrects the agent and the speakers of phrases in a call. Listeners then queue a new check of the call.
 * @throws HttpError 400 for invalid phrases, 404 if the actor cannot see the call, 409 for phrases without separated voices
 */
export async function updateCallSpeakers(
  core: CallsCore,
  actor: Actor,
  id: string,
  { agentChannel, phrases }: SpeakersChange,
): Promise<CallAgentJson> {
  const sortedPhrases = phrases?.toSorted((a, b) => a.start - b.start) ?? []
  rejectInvalidPhrases(sortedPhrases)
  const { speakers, queues } = await runInTransaction(core.db, async (sql) => {
    const before = await loadAgentChannel(sql, actor, id, 'FOR NO KEY UPDATE OF r')
    const queues = new Set<string>()
    if (agentChannel !== undefined || !phrases) {
      const values = [id, agentChannel ?? null]
      await sql.query({ text: 'UPDATE recordings SET agent_channel = $2 WHERE id = $1', values })
    }
    if (sortedPhrases.length > 0)
      for (const queue of await assignPhrases(core, sql, id, sortedPhrases)) queues.add(queue)
    const after = await loadAgentChannel(sql, actor, id)
    const hasOtherAgent = before.agentChannel !== after.agentChannel
    if (hasOtherAgent || before.setFor !== after.setFor || sortedPhrases.length > 0) {
      const object = { type: 'recording', id: id.toLowerCase() } as const
      const details = { before, after: { ...after, ...(sortedPhrases.length > 0 && { phrases: sortedPhrases }) } }
      await recordAuditChange(sql, actor, { action: 'recording.speakers', object, details })
    }
    // The choice of a person also makes the agent certain.
    if (hasOtherAgent || before.setFor !== after.setFor)
      for (const listener of core.callListeners)
        for (const queue of (await listener.speakersChanged?.(sql, core.config, id, true)) ?? []) queues.add(queue)
    return { speakers: after, queues }
  })
  queues.forEach(core.notify)
  return speakers
}

/**
 * Rejects phrases that end before they start or overlap.
 * @param phrases sorted by start
 * @throws HttpError 400
 */
function rejectInvalidPhrases(phrases: PhraseJson[]): void {
  const reversed = phrases.findIndex(({ start, end }) => end <= start)
  if (reversed >= 0) throw badRequestError([speakerMessages.phraseEnd().withField('phrases')])
  if (phrases.some(({ end }, index) => end > (phrases[index + 1]?.start ?? Infinity)))
    throw badRequestError([speakerMessages.phrasesOverlap().withField('phrases')])
}

/**
 * Assigns the words in the phrases to their speakers.
 * @returns the queues to notify after the commit
 * @throws HttpError 409 if the voices are not separated
 */
async function assignPhrases(core: CallsCore, sql: Sql, id: string, phrases: PhraseJson[]): Promise<string[]> {
  const { rows } = await sql.query<{ method: string | null }>({
    text: `SELECT speakers ->> 'method' AS method FROM recordings WHERE id = $1`,
    values: [id],
  })
  const text = await loadSegments(sql, id, 'FOR UPDATE')
  if (rows[0]?.method !== 'voices' || !text?.words) throw conflictError(speakerMessages.notSeparated())
  await cancelSeparation(sql, id)
  const spans = phrases.map((phrase) => ({ ...phrase, confidence: 1 }))
  const assigned = assignSpeakers(text.segments, text.words, spans)
  return replaceSegments(core, sql, id, { before: text.segments, ...assigned, isUrgent: true })
}

/** Cancels a waiting or running separation, so that its result does not replace the correction of a person. */
async function cancelSeparation(sql: Sql, id: string): Promise<void> {
  await sql.query({
    text: `UPDATE separations SET status = 'CANCELLED', finished_at = now(), attempt_token = NULL, lease_until = NULL
            WHERE id = $1 AND status IN ('QUEUED', 'PROCESSING')`,
    values: [id],
  })
}
