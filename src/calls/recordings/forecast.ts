import type { Core } from '../../platform/core.ts'
import type { RecordingRow } from './present.ts'

/** The speed is measured by this number of latest recordings. */
const MEASURED_RECORDINGS = 50

/**
 * Speeds in seconds of audio per second: of one recognition (of_one), and of all that ran at once, without idle time
 * (of_all). per_byte estimates the length of a file. All are null before the first recording; calls of the demo, which have
 * no bytes, do not count.
 */
const SPEED_SQL = `
  recent AS (
    SELECT duration_seconds, size_bytes, started_at, finished_at FROM recordings
     WHERE status = 'DONE' AND finished_at IS NOT NULL AND started_at < finished_at AND size_bytes > 0
     ORDER BY finished_at DESC LIMIT ${MEASURED_RECORDINGS}
  ),
  speed AS (
    SELECT sum(duration_seconds) / nullif(sum(size_bytes), 0) AS per_byte,
           sum(duration_seconds) / sum(extract(epoch FROM finished_at - started_at)) AS of_one,
           sum(duration_seconds) / (SELECT sum(extract(epoch FROM upper(busy) - lower(busy)))
                                      FROM unnest((SELECT range_agg(tstzrange(started_at, finished_at)) FROM recent)) busy
                                   ) AS of_all
      FROM recent
  )`

/** The length of a recording w in seconds, known or estimated. */
const AUDIO_SECONDS_SQL = `coalesce(w.duration_seconds, w.size_bytes * speed.per_byte)`

/** Seconds of audio left of the running recordings. */
const RUNNING_SECONDS_SQL = `
  (SELECT coalesce(sum(${AUDIO_SECONDS_SQL} * (1 - w.progress_percent / 100)), 0) FROM recordings w WHERE w.status = 'PROCESSING')`

/** Position and audio ahead of each waiting recording, with one pass over the index recordings_places for all. */
const POSITIONS_SQL = `
  WITH ${SPEED_SQL},
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
         (line.seconds + line.bytes * speed.per_byte + ${RUNNING_SECONDS_SQL})::float AS "audioAhead",
         (${AUDIO_SECONDS_SQL})::float AS audio, speed.of_one::float AS "ofOne", speed.of_all::float AS "ofAll",
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

/** Adds the position in the queue, the remaining time and whether the queue is paused to rows that wait or run. */
export async function addForecast(core: Core, rows: RecordingRow[]): Promise<void> {
  const unfinished = rows.filter(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  if (unfinished.length === 0) return
  const { rows: positions } = await core.pool.query<QueuePosition>({
    text: POSITIONS_SQL,
    values: [unfinished.map(({ id }) => id)],
  })
  const byId = new Map(positions.map((found) => [found.id, found]))
  for (const row of unfinished) {
    const found = byId.get(row.id)
    if (!found) continue // deleted meanwhile
    row.position = row.status === 'QUEUED' ? found.position : null
    row.isPaused = row.status === 'QUEUED' && found.isPaused
    row.etaSeconds = row.status === 'QUEUED' ? estimateQueuedSeconds(found) : estimateRunningSeconds(row, found)
  }
}

/** The audio ahead at the speed of all, but at least the pause after a failed attempt; then the recording itself. */
function estimateQueuedSeconds({ audioAhead, audio, ofOne, ofAll, pauseSeconds }: QueuePosition): number | null {
  if (!ofOne || !ofAll || audio === null || audioAhead === null) return null
  return Math.ceil(Math.max(audioAhead / ofAll, pauseSeconds, 0) + audio / ofOne)
}

/** The rest at the recording's own speed; without progress, at the usual speed. */
function estimateRunningSeconds(
  { progressPercent }: RecordingRow,
  { elapsedSeconds, audio, ofOne }: QueuePosition,
): number | null {
  if (elapsedSeconds === null) return null
  if (progressPercent >= 1) return Math.ceil((elapsedSeconds * (100 - progressPercent)) / progressPercent)
  return ofOne && audio !== null ? Math.max(0, Math.ceil(audio / ofOne - elapsedSeconds)) : null
}

/** The queue as GET /v1/queue shows it; `speed` is in seconds of audio per second. */
interface QueueForecast {
  waiting: number
  running: number
  waitingAudioSeconds: number | null
  etaSeconds: number | null
  oldestWaitingSince: Date | null
  speed: number | null
}

/** Loads the waiting and running calls and estimates when the queue is empty. */
export async function loadQueueForecast(core: Core): Promise<QueueForecast> {
  const { rows } = await core.pool.query<{
    waiting: number
    running: number
    audio: number | null
    left: number | null
    since: Date | null
    speed: number | null
  }>({
    text: `
      WITH ${SPEED_SQL},
      waiting AS (
        SELECT count(*)::int AS waiting, min(w.created_at) AS since,
               CASE WHEN bool_and(${AUDIO_SECONDS_SQL} IS NOT NULL) IS NOT false THEN coalesce(sum(${AUDIO_SECONDS_SQL}), 0) END::float AS audio
          FROM recordings w, speed WHERE w.status = 'QUEUED'
      )
      SELECT waiting.*, ${RUNNING_SECONDS_SQL}::float AS left, speed.of_all::float AS speed,
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
