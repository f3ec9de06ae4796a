import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notFoundError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { MIN_SPEAKER_CONFIDENCE } from '../recordings/values.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Most PBXs record their own side on the first channel. */
export const DEFAULT_AGENT_CHANNEL = 0

/**
 * SQL expression for the channel or voice of the agent in a recording r. The first known of: the choice of a person, the voice
 * found by words, the setting for the source, the setting for all calls, DEFAULT_AGENT_CHANNEL.
 */
export const AGENT_CHANNEL_SQL = `
  coalesce(r.agent_channel, (r.speakers ->> 'agent')::int,
           (SELECT coalesce(s.value -> 'agentChannel' -> r.source, s.value -> 'agentChannel' -> 'default')::int
                               FROM settings s WHERE s.name = 'analysis'), ${DEFAULT_AGENT_CHANNEL})`

/** SQL: how certain the agent of a recording r is, from 0 to 1. Settings are certain for channels, but not for voices. */
export const AGENT_CONFIDENCE_SQL = `
  CASE WHEN r.agent_channel IS NOT NULL OR r.speakers ->> 'method' IS DISTINCT FROM 'voices' THEN 1
       ELSE coalesce((r.speakers ->> 'agentConfidence')::float8, 0) END`

/** SQL: whether the agent of a recording r is certain enough for rules about one side. */
const AGENT_IS_CERTAIN_SQL = `(${AGENT_CONFIDENCE_SQL} >= ${MIN_SPEAKER_CONFIDENCE})`

/** SQL expression for the method by which the speakers of a recording r are separated, as in presentCallSpeakers(). */
export const SPEAKER_METHOD_SQL = `
  coalesce(r.speakers ->> 'method', CASE WHEN (r.audio ->> 'channels')::int = 2 AND r.audio -> 'identical' = 'false'
                                         THEN 'channels' ELSE 'none' END)`

/** SQL expression for the hash of the segments of a transcript t, to which reviews refer. */
export const SEGMENTS_HASH_SQL = `encode(sha256(convert_to(t.segments::text, 'UTF8')), 'hex')`

/** The channel or voice of the agent of a call. */
export interface Agent {
  agentChannel: 0 | 1
  isCertain: boolean
}

/** Loads the agent of a recording. The caller must check that the actor can see this recording. */
export async function loadAgent(sql: Sql, id: string): Promise<Agent> {
  const { rows } = await sql.query<Agent>({
    text: `SELECT ${AGENT_CHANNEL_SQL} AS "agentChannel", ${AGENT_IS_CERTAIN_SQL} AS "isCertain" FROM recordings r WHERE r.id = $1`,
    values: [id],
  })
  return rows[0] ?? { agentChannel: DEFAULT_AGENT_CHANNEL, isCertain: false }
}

interface Speakers {
  agentChannel: 0 | 1
  /** 'call': a person chose the agent; 'words': found by the words of two voices; 'source': from the settings. */
  setFor: 'call' | 'words' | 'source'
}

/**
 * Loads the channel or voice of the agent of a recording.
 * @param lock a locking clause of SQL
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadAgentChannel(sql: Sql, actor: Actor, id: string, lock = ''): Promise<Speakers> {
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
