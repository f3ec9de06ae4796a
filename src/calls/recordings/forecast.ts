import type { Core } from '../../platform/core.ts'
import type { RecordingRow } from './present.ts'

/** The estimates use the speed of this many latest recordings. */
const MEASURED_RECORDINGS = 50

/** With fewer measured recordings, there is no estimate. */
const MIN_MEASURED_RECORDINGS = 5

/** A recording of more than this multiple of the longest measured length has no estimate. */
const MAX_LENGTH_RATIO = 2

/** From this progress on, a running recording has an estimate only if the speed of its progress agrees. */
const MIN_COMPARED_PERCENT = 10

/**
 * Measures the speed of the latest recordings. A recognition takes `overhead` seconds plus `per_audio` seconds per second of
 * audio. The fit minimizes errors relative to the length. `at_once` is the mean number of parallel recognitions. `per_byte` is the
 * mean number of seconds per byte of a file. 96 % of the ratios of real to estimated time are between `low` and `high`, or the
 * `_by_size` columns for files of unknown length. All columns are null if too few recordings are measured. Demo calls have no bytes
 * and do not count.
 */
const SPEED_SQL = `
  recent AS (
    SELECT duration_seconds AS audio, size_bytes AS bytes, started_at, finished_at,
           extract(epoch FROM finished_at - started_at)::float AS seconds FROM recordings
     WHERE status = 'DONE' AND finished_at IS NOT NULL AND started_at < finished_at AND size_bytes > 0 AND duration_seconds > 0
     ORDER BY finished_at DESC LIMIT ${MEASURED_RECORDINGS}
  ),
  fit AS (
    SELECT max(audio) AS longest, sum(audio) / sum(bytes) AS per_byte, sum(seconds) / sum(audio) AS mean, sum(audio) / busy_seconds AS of_all,
           sum(seconds) / busy_seconds AS at_once, regr_slope(seconds / audio, 1 / audio) AS overhead,
           regr_intercept(seconds / audio, 1 / audio) AS per_audio
      FROM recent, (SELECT sum(extract(epoch FROM upper(busy) - lower(busy)))::float AS busy_seconds
                      FROM unnest((SELECT range_agg(tstzrange(started_at, finished_at)) FROM recent)) busy) total
     GROUP BY busy_seconds HAVING count(*) >= ${MIN_MEASURED_RECORDINGS}
  ),
  model AS (
    SELECT longest, per_byte, of_all, at_once,
           CASE WHEN overhead > 0 AND per_audio > 0 THEN overhead ELSE 0 END AS overhead,
           CASE WHEN overhead > 0 AND per_audio > 0 THEN per_audio ELSE mean END AS per_audio FROM fit
  ),
  speed AS (
    SELECT model.*, spread.* FROM (SELECT) one LEFT JOIN model ON true LEFT JOIN LATERAL (
      SELECT percentile_cont(0.02) WITHIN GROUP (ORDER BY by_length) AS low,
             percentile_cont(0.98) WITHIN GROUP (ORDER BY by_length) AS high,
             percentile_cont(0.02) WITHIN GROUP (ORDER BY by_size) AS low_by_size,
             percentile_cont(0.98) WITHIN GROUP (ORDER BY by_size) AS high_by_size
        FROM recent, LATERAL (SELECT seconds / (overhead + per_audio * audio) AS by_length,
                                     seconds / (overhead + per_audio * bytes * per_byte) AS by_size) ratios) spread ON true
  )`

/** SQL for the length of a recording w in seconds, either known or estimated from its size. */
const AUDIO_SECONDS_SQL = `coalesce(w.duration_seconds, w.size_bytes * speed.per_byte)`

/** SQL that is true if a recording w is not much longer than the measured ones. */
const IS_MEASURED_LENGTH_SQL = `(${AUDIO_SECONDS_SQL} <= ${MAX_LENGTH_RATIO} * speed.longest)`

/** SQL for the estimated recognition time of a recording w in seconds. */
const RECOGNITION_SECONDS_SQL = `(speed.overhead + speed.per_audio * ${AUDIO_SECONDS_SQL})`

/** SQL for the estimated remaining seconds of all running recognitions together. */
const RUNNING_SECONDS_SQL = `
  (SELECT coalesce(sum(greatest(0, ${RECOGNITION_SECONDS_SQL} - extract(epoch FROM now() - w.started_at))), 0)
     FROM recordings w WHERE w.status = 'PROCESSING')`

/**
 * Selects for each recording of $1 its position and the estimated time before it. All waiting ones share one pass over the index
 * recordings_places.
 */
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
         ((speed.overhead * (line.position - 1) + speed.per_audio * (line.seconds + line.bytes * speed.per_byte)
           + ${RUNNING_SECONDS_SQL}) / speed.at_once)::float AS "secondsAhead",
         CASE WHEN ${IS_MEASURED_LENGTH_SQL} THEN ${RECOGNITION_SECONDS_SQL} END::float AS "ownSeconds",
         (CASE WHEN w.duration_seconds IS NULL THEN speed.low_by_size ELSE speed.low END)::float AS low,
         (CASE WHEN w.duration_seconds IS NULL THEN speed.high_by_size ELSE speed.high END)::float AS high,
         extract(epoch FROM w.next_attempt_at - now())::float AS "pauseSeconds",
         extract(epoch FROM now() - w.started_at)::float AS "elapsedSeconds", w.progress_percent AS percent,
         EXISTS (SELECT FROM paused_queues WHERE name = 'transcription') AS "isPaused"
    FROM recordings w CROSS JOIN speed LEFT JOIN line USING (id)
   WHERE w.id = ANY($1)`

interface QueuePosition {
  id: string
  position: number | null
  /** Estimated seconds until the recognition starts; null for a running recording. */
  secondsAhead: number | null
  /** Estimated seconds of the recognition itself; null without enough similar measured recordings. */
  ownSeconds: number | null
  /** Limits of the ratio of real to estimated time. */
  low: number | null
  high: number | null
  pauseSeconds: number
  elapsedSeconds: number | null
  percent: number
  isPaused: boolean
}

/** Sets position, etaSeconds and isPaused of the queued and running rows. Changes `rows` in place. */
export async function addRecordingForecasts(core: Core, rows: RecordingRow[]): Promise<void> {
  const unfinished = rows.filter(({ status }) => status === 'QUEUED' || status === 'PROCESSING')
  if (unfinished.length === 0) return
  const { rows: positions } = await core.pool.query<QueuePosition>({
    text: POSITIONS_SQL,
    values: [unfinished.map(({ id }) => id)],
  })
  const byId = new Map(positions.map((found) => [found.id, found]))
  for (const row of unfinished) {
    const found = byId.get(row.id)
    if (!found) continue // The recording was deleted after its row was loaded.
    row.position = row.status === 'QUEUED' ? found.position : null
    row.isPaused = row.status === 'QUEUED' && found.isPaused
    row.etaSeconds = row.status === 'QUEUED' ? estimateQueuedSeconds(found) : estimateRunningSeconds(found)
  }
}

/** Returns the seconds until a waiting call is transcribed. The wait lasts at least as long as the pause after a failed attempt. */
function estimateQueuedSeconds({ secondsAhead, ownSeconds, pauseSeconds, low, high }: QueuePosition): number | null {
  if (secondsAhead === null || ownSeconds === null) return null
  const total = Math.max(secondsAhead, pauseSeconds, 0) + ownSeconds
  return keepReliable(total, total, low, high)
}

/**
 * Returns the estimated recognition time minus the elapsed time. The progress only confirms it, because the parts of a call are
 * recognized together and in any order.
 */
function estimateRunningSeconds({ elapsedSeconds, ownSeconds, percent, low, high }: QueuePosition): number | null {
  if (elapsedSeconds === null || ownSeconds === null) return null
  const remaining = ownSeconds - elapsedSeconds
  if (percent >= MIN_COMPARED_PERCENT) {
    const ratio = remaining / (elapsedSeconds * (100 / percent - 1))
    if (ratio > 2 || ratio < 1 / 2) return null
  }
  return keepReliable(remaining, ownSeconds, low, high)
}

/**
 * Rounds an estimate to whole seconds. Returns null if no time remains, or if the measured ratios allow an error of more than a
 * factor of two.
 * @param total estimated seconds without subtracting elapsed time
 */
function keepReliable(remaining: number, total: number, low: number | null, high: number | null): number | null {
  if (low === null || high === null) return null
  const [surplus, shortage] = [total * (1 - low), total * (high - 1)]
  return remaining > 0 && surplus <= remaining / 2 && shortage <= remaining ? Math.max(1, Math.round(remaining)) : null
}

/** A forecast of the whole queue. `speed` is seconds of audio per second of busy time; GET /v1/queue omits it. */
interface QueueForecast {
  waiting: number
  running: number
  waitingAudioSeconds: number | null
  etaSeconds: number | null
  oldestWaitingSince: Date | null
  speed: number | null
}

/** Counts the waiting and running calls and estimates when the queue will be empty. */
export async function loadTranscriptionQueueForecast(core: Core): Promise<QueueForecast> {
  const { rows } = await core.pool.query<{
    waiting: number
    running: number
    audio: number | null
    left: number | null
    low: number | null
    high: number | null
    since: Date | null
    speed: number | null
  }>({
    text: `
      WITH ${SPEED_SQL},
      waiting AS (
        SELECT count(*)::int AS waiting, min(w.created_at) AS since,
               CASE WHEN bool_and(${AUDIO_SECONDS_SQL} IS NOT NULL) IS NOT false THEN coalesce(sum(${AUDIO_SECONDS_SQL}), 0) END::float AS audio,
               CASE WHEN bool_and(${IS_MEASURED_LENGTH_SQL}) IS NOT false
                    THEN coalesce(sum(${RECOGNITION_SECONDS_SQL}), 0) END::float AS seconds
          FROM recordings w, speed WHERE w.status = 'QUEUED'
      )
      SELECT waiting, since, audio, ((seconds + ${RUNNING_SECONDS_SQL}) / speed.at_once)::float AS left,
             speed.low_by_size::float AS low, speed.high_by_size::float AS high, speed.of_all::float AS speed,
             (SELECT count(*)::int FROM recordings WHERE status = 'PROCESSING') AS running
        FROM waiting, speed`,
  })
  const { waiting, running, audio, left, low, high, since, speed } = rows[0]!
  return {
    waiting,
    running,
    waitingAudioSeconds: audio === null ? null : Math.round(audio * 10) / 10,
    etaSeconds: waiting + running === 0 ? 0 : left === null ? null : keepReliable(left, left, low, high),
    oldestWaitingSince: since,
    speed,
  }
}
