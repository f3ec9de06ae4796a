import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notFoundError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Most PBXs record their own side on the first channel. */
export const DEFAULT_AGENT_CHANNEL = 0

/** Below this, it is uncertain which of two voices is the agent's, and who says a segment. */
export const MIN_SPEAKER_CONFIDENCE = 0.8

/**
 * SQL: the channel or voice of the agent in a recording r. It is set for the call, or found by the words of two voices. Otherwise
 * it is set for the source or for all calls, in the settings of the call check.
 */
export const AGENT_CHANNEL_SQL = `
  coalesce(r.agent_channel, (r.speakers ->> 'agent')::int,
           (SELECT coalesce(s.value -> 'agentChannel' -> r.source, s.value -> 'agentChannel' -> 'default')::int
                               FROM settings s WHERE s.name = 'analysis'), ${DEFAULT_AGENT_CHANNEL})`

/** SQL: whether the agent of a recording r is certain. Settings are certain for channels, but not for voices. */
export const AGENT_IS_CERTAIN_SQL = `
  (r.agent_channel IS NOT NULL OR r.speakers ->> 'method' IS DISTINCT FROM 'voices'
    OR coalesce((r.speakers ->> 'agentConfidence')::float8, 0) >= ${MIN_SPEAKER_CONFIDENCE})`

/** SQL: how the speakers of a recording r are separated; in calls of earlier releases, by its channels. */
export const SPEAKER_METHOD_SQL = `
  coalesce(r.speakers ->> 'method', CASE WHEN (r.audio ->> 'channels')::int = 2 AND r.audio -> 'identical' = 'false'
                                         THEN 'channels' ELSE 'none' END)`

/** SQL: the hash of the segments of a transcript t, to which reviews refer. */
export const SEGMENTS_HASH_SQL = `encode(sha256(convert_to(t.segments::text, 'UTF8')), 'hex')`

/** Which speaker is the agent. */
export interface Agent {
  agentChannel: 0 | 1
  isCertain: boolean
}

/** Loads the agent of a recording that the caller can see. */
export async function loadAgent(sql: Sql, id: string): Promise<Agent> {
  const { rows } = await sql.query<Agent>({
    text: `SELECT ${AGENT_CHANNEL_SQL} AS "agentChannel", ${AGENT_IS_CERTAIN_SQL} AS "isCertain" FROM recordings r WHERE r.id = $1`,
    values: [id],
  })
  return rows[0] ?? { agentChannel: DEFAULT_AGENT_CHANNEL, isCertain: false }
}

interface Speakers {
  agentChannel: 0 | 1
  /** Whether the agent is set for this call, found by words, or follows from the source. */
  setFor: 'call' | 'words' | 'source'
}

/**
 * Loads which channel of a recording is the agent's.
 * @param lock a locking clause of SQL
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadSpeakerChannels(sql: Sql, actor: Actor, id: string, lock = ''): Promise<Speakers> {
  const p = new SqlParameters()
  const { rows } = await sql.query<Speakers>({
    text: `SELECT ${AGENT_CHANNEL_SQL} AS "agentChannel", CASE WHEN r.agent_channel IS NOT NULL THEN 'call'
                         WHEN r.speakers -> 'agent' <> 'null' THEN 'words' ELSE 'source' END AS "setFor"
             FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))} ${lock}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}
