import type { Sql } from '../../platform/db/sql.ts'
import type { Segment } from '../../calls/transcripts/entity.ts'
import type { Dialogue } from '../rules/types.ts'
import { AGENT_CHANNEL } from '../../calls/transcripts/speakers.ts'

/** A call as the check reads it. */
export interface Call {
  recordingId: string
  dialogue: Dialogue
  departmentId: string | null
  /** Of the transcript that was read. */
  transcriptHash: string
}

interface Row {
  recordingId: string
  direction: Dialogue['direction']
  departmentId: string | null
  durationSeconds: number | null
  agentChannel: 0 | 1
  segments: Segment[]
  transcriptHash: string
  soundChannels: number | null
}

const SELECT_CALL = `
  SELECT r.id AS "recordingId", r.direction, m.department_id AS "departmentId", r.duration_seconds AS "durationSeconds",
         ${AGENT_CHANNEL} AS "agentChannel", t.segments, array_length(w.peaks, 1) AS "soundChannels",
         encode(sha256(convert_to(t.segments::text, 'UTF8')), 'hex') AS "transcriptHash"
    FROM recordings r JOIN transcripts t ON t.recording_id = r.id
    LEFT JOIN waveforms w ON w.recording_id = r.id
    LEFT JOIN department_managers m ON m.manager_id = r.manager_id`

/** Calls with their texts; those without one, or gone meanwhile, are left out. */
export async function loadCalls(sql: Sql, ids: string[]): Promise<Call[]> {
  const { rows } = await sql.query<Row>({
    name: 'calls-to-check',
    text: `${SELECT_CALL} WHERE r.id = ANY($1::uuid[])`,
    values: [ids],
  })
  return rows.map(asCall)
}

function asCall({ recordingId, direction, departmentId, segments, transcriptHash, ...row }: Row): Call {
  const last = segments.reduce((end, segment) => Math.max(end, segment.end), 0)
  const isStereo = row.soundChannels === 2 || segments.some(({ channel }) => channel === 1)
  const channels = isStereo ? 2 : 1
  const agentChannel = isStereo ? row.agentChannel : null
  const durationSeconds = row.durationSeconds ?? last
  const dialogue: Dialogue = { segments, channels, agentChannel, direction, durationSeconds }
  return { recordingId, departmentId, transcriptHash, dialogue }
}
