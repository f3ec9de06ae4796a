import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { FindingRow } from '../checks/entity.ts'
import type { PendingReviewJson } from './schema.ts'

/** The number of segments before, and of segments after, the quoted one. */
const CONTEXT_LINES = 2

/** SQL of a line of a transcript: its voice or channel, and whether its voice is uncertain. */
const SPEAKER_SQL = `coalesce(line ->> 'speaker', line ->> 'channel')::int`
const IS_UNCERTAIN_SQL = `coalesce((line ->> 'speakerConfidence')::float8 < ${MIN_SPEAKER_CONFIDENCE}, false)`

/** SQL for the side of a line of the transcript that the check a judged: agent, client or unknown. */
export const LINE_SIDE_SQL = `
  CASE WHEN a.agent_channel IS NULL OR ${IS_UNCERTAIN_SQL} THEN 'unknown'
       WHEN a.agent_channel = ${SPEAKER_SQL} THEN 'agent' ELSE 'client' END`

export interface ReviewMomentSource extends Pick<FindingRow, 'id' | 'why' | 'evidence'> {
  recordingId: string
  reviews: PendingReviewJson['reviews']
}

type ContextJson = NonNullable<PendingReviewJson['context']>

/**
 * Finds the moment of a call that a reviewer needs.
 * @returns the last dispute, the first quote and the searched part. The moment is the last line that begins before `until`. That is
 * the end of the second that the dispute names, such as 0:04, or else of the searched part
 */
export function findReviewMoment({ reviews, why, evidence }: ReviewMomentSource) {
  const dispute = reviews.findLast(({ kind }) => kind === 'dispute')?.comment
  const [, hours = '0', minutes, seconds] = /(?<!\d)(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)(?!\d)/.exec(dispute ?? '') ?? []
  const named = minutes === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const searched = 'from' in why ? { from: why.from, to: why.to } : null
  // People name the times of the transcript, which are rounded down.
  return { dispute, quote: evidence[0], searched, until: named === undefined ? (searched?.to ?? null) : named + 1 }
}

interface LineRow extends Omit<ContextJson, 'start' | 'end' | 'searched'> {
  id: string
}

/**
 * Loads the segment that a reviewer needs for each finding, with the segments around it. The segment has the first quote.
 * Without a quote, it is the one at the moment of findReviewMoment(), or the last one.
 * @returns contexts by finding id
 */
export async function loadReviewContexts(sql: Sql, findings: ReviewMomentSource[]): Promise<Map<string, ContextJson>> {
  const moments = findings.map(findReviewMoment)
  const { rows } = await sql.query<LineRow>({
    text: `SELECT f.id, target.segment AS sentence, context.lines
             FROM unnest($1::uuid[], $2::int[], $3::float8[]) AS f (id, segment, until)
             JOIN findings w ON w.id = f.id JOIN analyses a ON a.id = w.analysis_id
             JOIN transcripts t ON t.recording_id = a.recording_id
            CROSS JOIN LATERAL (SELECT coalesce(f.segment, max(s.n) FILTER (WHERE (s.line ->> 'start')::float8 < f.until),
                                                CASE WHEN f.until IS NULL THEN max(s.n) ELSE 1 END - 1)::int AS segment
                                  FROM (SELECT line, n - 1 AS n
                                          FROM json_array_elements(t.segments) WITH ORDINALITY AS e (line, n)) AS s) AS target
            CROSS JOIN LATERAL (SELECT json_agg(json_build_object(
                                         'segment', n - 1, 'start', line -> 'start', 'end', line -> 'end',
                                         'side', ${LINE_SIDE_SQL},
                                         'text', line -> 'text') ORDER BY n) AS lines
                                  FROM json_array_elements(t.segments) WITH ORDINALITY AS e (line, n)
                                 WHERE n - 1 BETWEEN target.segment - ${CONTEXT_LINES} AND target.segment + ${CONTEXT_LINES}
                               ) AS context`,
    values: [
      findings.map(({ id }) => id),
      moments.map(({ quote }) => quote?.segment ?? null),
      moments.map(({ until }) => until),
    ],
  })
  const momentById = new Map(findings.map(({ id }, n) => [id, moments[n]!]))
  return new Map(
    rows.flatMap(({ id, sentence, lines }) => {
      const line = lines?.find(({ segment }) => segment === sentence)
      if (!line) return []
      const { quote, searched } = momentById.get(id)!
      const { start, end } = quote ?? line
      return [[id, { sentence, start, end, searched, lines }]]
    }),
  )
}
