import type { Core } from '../../platform/core.ts'
import type { RecordingRow } from './present.ts'

/** How many recordings the speed is measured by: those that were done last. */
const MEASURED = 50

/**
 * Speeds in seconds of audio per second, measured by the recordings done last: of one recognition (of_one), and of all
 * that ran at once, over the time in which any ran, so that idle hours do not count (of_all). And seconds of audio per
 * byte, to guess the length of what nobody has heard yet. All null while nothing was measured; calls of the demo have no bytes,
 * and nobody has recognized them.
 */
const SPEED = `
  recent AS (
    SELECT duration_seconds, size_bytes, started_at, finished_at FROM recordings
     WHERE status = 'DONE' AND finished_at IS NOT NULL AND started_at < finished_at AND size_bytes > 0
     ORDER BY finished_at DESC LIMIT ${MEASURED}
  ),
  speed AS (
    SELECT sum(duration_seconds) / nullif(sum(size_bytes), 0) AS per_byte,
           sum(duration_seconds) / sum(extract(epoch FROM finished_at - started_at)) AS of_one,
           sum(duration_seconds) / (SELECT sum(extract(epoch FROM upper(busy) - lower(busy)))
                                      FROM unnest((SELECT range_agg(tstzrange(started_at, finished_at)) FROM recent)) busy
                                   ) AS of_all
      FROM recent
  )`

/** The length of a recording w in seconds, known or guessed. */
const AUDIO = `coalesce(w.duration_seconds, w.size_bytes * speed.per_byte)`

/** What is left of the recordings that run, in seconds of audio. */
const RUNNING = `
  (SELECT coalesce(sum(${AUDIO} * (1 - w.progress_percent / 100)), 0) FROM recordings w WHERE w.status = 'PROCESSING')`

/**
 * Position and audio ahead of each recording asked for that waits. Between one and the next of them the index
 * recordings_places is read once, so many cost no more than the last one alone.
 */
const POSITIONS = `
  WITH ${SPEED},
  asked AS (
    SELECT id, -priority AS rank, created_at,
           lag(-priority, 1, -32768) OVER ahead AS rank_before,
           lag(created_at, 1, '-infinity') OVER ahead AS created_before,
           lag(id, 1, '00000000-0000-0000-0000-000000000000') OVER ahead AS id_before
      FROM recordings WHERE id = ANY($1) AND status = 'QUEUED'
    WINDOW ahead AS (ORDER BY -priority, created_at, id)
  ),
  line AS (
    SELECT asked.id, 1 + sum(n) OVER ahead AS position, sum(seconds) OVER ahead AS seconds, sum(bytes) OVER ahead AS bytes
      FROM asked, LATERAL (
        SELECT count(*) AS n, coalesce(sum(w.duration_seconds), 0) AS seconds,
               coalesce(sum(w.size_bytes) FILTER (WHERE w.duration_seconds IS NULL), 0) AS bytes
          FROM recordings w
         WHERE w.status = 'QUEUED' AND (-w.priority, w.created_at, w.id) >= (rank_before, created_before, id_before)
           AND (-w.priority, w.created_at, w.id) < (rank, asked.created_at, asked.id)) between_them
    WINDOW ahead AS (ORDER BY rank, asked.created_at, asked.id)
  )
  SELECT w.id, line.position::int AS position,
         (line.seconds + line.bytes * speed.per_byte + ${RUNNING})::float AS "audioAhead",
         (${AUDIO})::float AS audio, speed.of_one::float AS "ofOne", speed.of_all::float AS "ofAll",
         extract(epoch FROM w.next_attempt_at - now())::float AS "pauseSeconds",
         extract(epoch FROM now() - w.started_at)::float AS "elapsedSeconds",
         EXISTS (SELECT FROM paused_queues WHERE name = 'transcription') AS "isPaused"
    FROM recordings w CROSS JOIN speed LEFT JOIN line USING (id)
   WHERE w.id = ANY($1)`

interface QueuePosition {
  id: string
  position: number | null
  audioAhead: number | null
  audio: number | null
  ofOne: number | null
  ofAll: number | null
  pauseSeconds: number
  elapsedSeconds: number | null
  isPaused: boolean
}

/**
 * Adds to the rows that wait or run their position in the queue, how long they will take and whether the queue is paused: in
 * one statement for all of them, and none where there are none.
 */
export async function addForecast(core: Core, rows: RecordingRow[]): Promise<void> {
  const open = rows.filter(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  if (open.length === 0) return
  const { rows: positions } = await core.pool.query<QueuePosition>({
    text: POSITIONS,
    values: [open.map(({ id }) => id)],
  })
  const byId = new Map(positions.map((found) => [found.id, found]))
  for (const row of open) {
    const found = byId.get(row.id)
    if (!found) continue // deleted meanwhile
    row.position = row.status === 'QUEUED' ? found.position : null
    row.isPaused = row.status === 'QUEUED' && found.isPaused
    row.etaSeconds = row.status === 'QUEUED' ? untilHeard(found) : untilDone(row, found)
  }
}

/** What is ahead at the speed of all, but not before the pause after a failed attempt is over; then the recording itself. */
function untilHeard({ audioAhead, audio, ofOne, ofAll, pauseSeconds }: QueuePosition): number | null {
  if (!ofOne || !ofAll || audio === null || audioAhead === null) return null
  return Math.ceil(Math.max(audioAhead / ofAll, pauseSeconds, 0) + audio / ofOne)
}

/** The rest at the recording's own speed so far; before there is progress to measure by, at the usual speed. */
function untilDone({ progressPercent }: RecordingRow, { elapsedSeconds, audio, ofOne }: QueuePosition): number | null {
  if (elapsedSeconds === null) return null
  if (progressPercent >= 1) return Math.ceil((elapsedSeconds * (100 - progressPercent)) / progressPercent)
  return ofOne && audio !== null ? Math.max(0, Math.ceil(audio / ofOne - elapsedSeconds)) : null
}

/** What waits and what runs, as GET /v1/queue answers it; `speed` is in seconds of audio per second. */
export interface QueueForecast {
  waiting: number
  running: number
  waitingAudioSeconds: number | null
  etaSeconds: number | null
  oldestWaitingSince: Date | null
  speed: number | null
}

/** Sums the queue up. Lengths nobody knows yet are guessed by size; null while there is nothing to guess by. */
export async function forecastQueue(core: Core): Promise<QueueForecast> {
  const { rows } = await core.pool.query<{
    waiting: number
    running: number
    audio: number | null
    left: number | null
    since: Date | null
    speed: number | null
  }>({
    text: `
      WITH ${SPEED},
      waiting AS (
        SELECT count(*)::int AS waiting, min(w.created_at) AS since,
               CASE WHEN bool_and(${AUDIO} IS NOT NULL) IS NOT false THEN coalesce(sum(${AUDIO}), 0) END::float AS audio
          FROM recordings w, speed WHERE w.status = 'QUEUED'
      )
      SELECT waiting.*, ${RUNNING}::float AS left, speed.of_all::float AS speed,
             (SELECT count(*)::int FROM recordings WHERE status = 'PROCESSING') AS running
        FROM waiting, speed`,
  })
  const { waiting, running, audio, left, since, speed } = rows[0]!
  const isIdle = waiting + running === 0
  return {
    waiting,
    running,
    waitingAudioSeconds: audio === null ? null : Math.round(audio * 10) / 10,
    etaSeconds: isIdle ? 0 : speed && audio !== null && left !== null ? Math.ceil((audio + left) / speed) : null,
    oldestWaitingSince: since,
    speed,
  }
}
