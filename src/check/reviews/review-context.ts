import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { Sql } from '../../platform/db/sql.ts'
import type { FindingRow } from '../checks/entity.ts'
import type { RuleKindName } from '../rules/types.ts'
import { findNamedTime, findQuotedLine, findQuotedText } from './dispute-moment.ts'
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
  kind: RuleKindName
  reviews: PendingReviewJson['reviews']
}

type ContextJson = NonNullable<PendingReviewJson['context']>
type SearchedPart = NonNullable<ContextJson['searched']>

/**
 * Finds the moment of a call that a reviewer needs.
 * @returns the last dispute, the quote and the searched part. Without a quote, the moment is the text that the dispute quotes.
 * Without that, it is the last line before `until`: the end of the second that the dispute names, else of the searched part
 */
export function findReviewMoment({ kind, reviews, why, evidence }: ReviewMomentSource) {
  const dispute = reviews.findLast(({ kind }) => kind === 'dispute')?.comment
  const quoted = dispute ? findQuotedText(dispute) : undefined
  const named = dispute ? findNamedTime(dispute) : undefined
  const searched = findSearchedPart(why, evidence)
  // The quotes of a reply are the words before it and the reply. A missed reply has only the first, which a dispute is not about.
  const isDisputedReply = why.code === 'noReply' && (quoted ?? named) !== undefined
  const quote = isDisputedReply ? undefined : kind === 'reply' && why.code === 'found' ? evidence.at(-1) : evidence[0]
  // People name the times of the transcript, which are rounded down.
  return { dispute, quote, quoted, searched, until: named === undefined ? (searched?.to ?? null) : named + 1 }
}

/** Finds the part of the call that a rule searched. A missing reply is searched after the quoted words. */
function findSearchedPart(why: FindingRow['why'], evidence: FindingRow['evidence']): SearchedPart | null {
  if (!('from' in why)) return null
  const [first, last] = [evidence[0], evidence.at(-1)]
  if (why.code !== 'noReply' || !first || !last) return { from: why.from, to: why.to }
  return { from: first.start, to: why.within === null ? why.to : Math.min(why.to, last.end + why.within) }
}

interface LineRow extends Omit<ContextJson, 'start' | 'end' | 'searched'> {
  id: string
}

/**
 * Loads the segment that a reviewer needs for each finding, with the segments around it. The segment has the quote of
 * findReviewMoment(). Without a quote, it is the one at its moment, or the last one.
 * @param isWhole whether to load the whole searched part too
 * @returns contexts by finding id
 */
export async function loadReviewContexts(
  sql: Sql,
  findings: ReviewMomentSource[],
  isWhole: boolean,
): Promise<Map<string, ContextJson>> {
  const moments = findings.map(findReviewMoment)
  const quotedLines = await loadQuotedLines(sql, findings)
  const { rows } = await sql.query<LineRow>({
    text: `SELECT f.id, target.segment AS sentence, context.lines
             FROM unnest($1::uuid[], $2::int[], $3::float8[], $4::float8[], $5::float8[])
                    AS f (id, segment, until, searched_from, searched_to)
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
                                    OR ((line ->> 'start')::float8 < f.searched_to AND (line ->> 'end')::float8 > f.searched_from)
                               ) AS context`,
    values: [
      findings.map(({ id }) => id),
      moments.map(({ quote }, n) => quote?.segment ?? quotedLines.get(findings[n]!.id) ?? null),
      moments.map(({ until }) => until),
      moments.map(({ searched }) => (isWhole && searched ? searched.from : null)),
      moments.map(({ searched }) => (isWhole && searched ? searched.to : null)),
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

/** Finds the segments that disputes quote, for findings without a quote of their own. @returns indexes by finding id */
async function loadQuotedLines(sql: Sql, findings: ReviewMomentSource[]): Promise<Map<string, number>> {
  const quotes = new Map(
    findings.flatMap((finding) => {
      const { quote, quoted } = findReviewMoment(finding)
      return quote || quoted === undefined ? [] : [[finding.id, quoted] as const]
    }),
  )
  if (quotes.size === 0) return new Map()
  const { rows } = await sql.query<{ id: string; lines: string[] }>({
    text: `SELECT f.id, (SELECT json_agg(line -> 'text' ORDER BY n)
                           FROM json_array_elements(t.segments) WITH ORDINALITY AS e (line, n)) AS lines
             FROM findings f JOIN analyses a ON a.id = f.analysis_id JOIN transcripts t ON t.recording_id = a.recording_id
            WHERE f.id = ANY($1::uuid[]) AND json_array_length(t.segments) > 0`,
    values: [[...quotes.keys()]],
  })
  return new Map(
    rows.flatMap(({ id, lines }) => {
      const line = findQuotedLine(quotes.get(id)!, lines)
      return line === undefined ? [] : [[id, line]]
    }),
  )
}
