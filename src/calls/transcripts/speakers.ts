import { visibleRecordingByIdCondition } from '../../people/managers/visibility.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { notFoundError } from '../../platform/errors.ts'
import type { Actor } from '../../platform/http/actor.ts'
import { SqlParameters } from '../../platform/lib/sql-conditions.ts'
import { recordingMessages } from '../recordings/messages.ts'

/** Most PBXs record their own side on the first channel. */
export const DEFAULT_AGENT_CHANNEL = 0

/**
 * SQL for the agent's channel in a recording r. It is set for the call, for its source or for all calls, in the settings of the
 * call check.
 */
export const AGENT_CHANNEL_SQL = `
  coalesce(r.agent_channel, (SELECT coalesce(s.value -> 'agentChannel' -> r.source, s.value -> 'agentChannel' -> 'default')::int
                               FROM settings s WHERE s.name = 'analysis'), ${DEFAULT_AGENT_CHANNEL})`

interface Speakers {
  agentChannel: 0 | 1
  /** 'call' if the channel is set for this call, 'source' if it follows from the settings. */
  setFor: 'call' | 'source'
}

/**
 * Loads which channel of a recording is the agent's.
 * @param lock a locking clause of SQL
 * @throws HttpError 404 if the actor cannot see the recording
 */
export async function loadSpeakerChannels(sql: Sql, actor: Actor, id: string, lock = ''): Promise<Speakers> {
  const p = new SqlParameters()
  const { rows } = await sql.query<Speakers>({
    text: `SELECT ${AGENT_CHANNEL_SQL} AS "agentChannel", CASE WHEN r.agent_channel IS NULL THEN 'source' ELSE 'call' END AS "setFor"
             FROM recordings r WHERE ${p.and(visibleRecordingByIdCondition(actor, id))} ${lock}`,
    values: p.values,
  })
  if (!rows[0]) throw notFoundError(recordingMessages.noRecording())
  return rows[0]
}
