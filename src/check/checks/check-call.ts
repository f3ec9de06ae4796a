import type { CallSpeakers } from '../../calls/recordings/entity.ts'
import { MIN_SPEAKER_CONFIDENCE } from '../../calls/recordings/values.ts'
import type { TranscriptSegment } from '../../calls/transcripts/entity.ts'
import { AGENT_CHANNEL_SQL, AGENT_CONFIDENCE_SQL, SEGMENTS_HASH_SQL } from '../../calls/transcripts/speakers.ts'
import type { Core } from '../../platform/core.ts'
import type { Sql } from '../../platform/db/sql.ts'
import { sha256 } from '../../platform/lib/crypto.ts'
import { JobClaimLostError, type Job } from '../../platform/queue/queue.ts'
import { judgeCallByModel } from '../model/judge-by-model.ts'
import { judgeCall, calculateCallScore } from '../rules/judge-call.ts'
import type { Dialogue, RuleFinding, CallJudgement, RuleSetBody, Verdict } from '../rules/types.ts'
import { loadAnalysisSettings } from './service.ts'
import { MIN_CRITICAL_CONFIDENCE, toVoiceSegments } from '../speakers/voice-segments.ts'
import {
  explainMissingScore,
  loadPublishedRuleSets,
  selectApplicableRuleSets,
  type MissingScoreReason,
  type PublishedRuleSet,
} from './published-sets.ts'

/** A call with the inputs of the check. The transcript hash is the hexadecimal SHA-256 of its segments before any were cut by voice. */
export interface CallWithTranscript {
  recordingId: string
  dialogue: Dialogue
  departmentId: string | null
  transcriptHash: string
}

/** The verdicts on a call by one rule set. `usage` and `model` exist only if the provider is a model. */
export interface RuleSetJudgement {
  set: PublishedRuleSet
  judgement: CallJudgement
  usage?: { inputTokens: number; outputTokens: number }
  model?: string
}

/** A checked call: the verdicts of the score set that applies, or why none does, and the verdicts of each label set. */
export interface CompletedCallCheck {
  call: CallWithTranscript
  score: RuleSetJudgement | undefined
  missingScore: MissingScoreReason | null
  labels: RuleSetJudgement[]
}

/** The verdicts of a check, or the reason why it was skipped. */
export type CallCheckResult = CompletedCallCheck | { skipped: 'noTranscript' } | { skipped: MissingScoreReason }

/**
 * Judges the call of a job by the published rule sets that apply. It stores nothing.
 * @throws JobClaimLostError if the check was deleted, JobNotReadyError or JobFailedError if a model fails
 */
export async function checkCall(core: Core, job: Job): Promise<CallCheckResult> {
  const { rows } = await core.pool.query<{ recordingId: string }>({
    text: 'SELECT recording_id AS "recordingId" FROM analyses WHERE id = $1',
    values: [job.id],
  })
  if (!rows[0]) throw new JobClaimLostError()
  const [call] = await loadCallsWithTranscripts(core.pool, [rows[0].recordingId])
  if (!call) return { skipped: 'noTranscript' }
  const sets = await loadPublishedRuleSets(core.pool)
  const { score, labels } = selectApplicableRuleSets(sets, call)
  const missingScore = score ? null : explainMissingScore(sets, call)
  if (missingScore && labels.length === 0) return { skipped: missingScore }
  const scoreJudgement = score && (await judgeByProvider(core, job, call, score))
  const labelJudgements: RuleSetJudgement[] = []
  for (const set of labels) labelJudgements.push(await judgeByProvider(core, job, call, set))
  return { call, score: scoreJudgement, missingScore, labels: labelJudgements }
}

interface CallRow extends Pick<Dialogue, 'direction'>, Omit<CallWithTranscript, 'dialogue'> {
  durationSeconds: number | null
  agentChannel: 0 | 1
  agentConfidence: number
  method: CallSpeakers['method'] | null
  segments: TranscriptSegment[]
  audioChannels: number | null
}

/** Loads calls with their transcripts. The result omits calls that were deleted or have no transcript. */
export async function loadCallsWithTranscripts(sql: Sql, ids: string[]): Promise<CallWithTranscript[]> {
  const { rows } = await sql.query<CallRow>({
    text: `
      SELECT r.id AS "recordingId", r.direction, m.department_id AS "departmentId", r.duration_seconds AS "durationSeconds",
             ${AGENT_CHANNEL_SQL} AS "agentChannel", ${AGENT_CONFIDENCE_SQL} AS "agentConfidence",
             r.speakers ->> 'method' AS method, t.segments, array_length(w.peaks, 1) AS "audioChannels",
             coalesce(t.first_hash, ${SEGMENTS_HASH_SQL}) AS "transcriptHash"
        FROM recordings r JOIN transcripts t ON t.recording_id = r.id
        LEFT JOIN waveforms w ON w.recording_id = r.id
        LEFT JOIN department_managers m ON m.manager_id = r.manager_id
       WHERE r.id = ANY($1::uuid[])`,
    values: [ids],
  })
  return rows.map(({ recordingId, departmentId, transcriptHash, segments, direction, ...row }) => {
    const lastEnd = segments.reduce((end, segment) => Math.max(end, segment.end), 0)
    const hasVoices = row.method === 'voices'
    const isStereo = row.audioChannels === 2 || segments.some(({ channel }) => channel === 1)
    const dialogue: Dialogue = {
      segments: hasVoices ? toVoiceSegments(segments) : segments,
      channels: isStereo || hasVoices ? 2 : 1,
      agentChannel: (isStereo || hasVoices) && row.agentConfidence >= MIN_SPEAKER_CONFIDENCE ? row.agentChannel : null,
      isAgentDoubtful: row.agentConfidence < MIN_CRITICAL_CONFIDENCE,
      direction,
      durationSeconds: row.durationSeconds ?? lastEnd,
    }
    return { recordingId, departmentId, transcriptHash, dialogue }
  })
}

/** @throws JobNotReadyError, JobFailedError if a model judges and fails */
async function judgeByProvider(
  core: Core,
  job: Job,
  call: CallWithTranscript,
  set: PublishedRuleSet,
): Promise<RuleSetJudgement> {
  switch (core.config.ANALYSIS_PROVIDER) {
    case 'mock':
      return { set, judgement: inventJudgement(set.body, call.recordingId) }
    case 'llm-compatible': {
      const { id: analysisId, token, attempt, signal } = job
      const purpose = { purpose: 'check', analysisId, token, attempt, signal } as const
      const { maskNames = false } = await loadAnalysisSettings(core.pool)
      const { judgement, tokens } = await judgeCallByModel(core, call, set.body, maskNames, purpose)
      const usage = { inputTokens: tokens.input, outputTokens: tokens.output }
      return { set, judgement, usage, model: core.config.ANALYSIS_MODEL! }
    }
    default:
      return { set, judgement: await judgeCall(set.body, call.dialogue) }
  }
}

/** Weighted for a plausible demonstration: 11 of 16 verdicts are met. */
const INVENTED_VERDICTS: Verdict[] = [
  ...Array<Verdict>(11).fill('met'),
  ...Array<Verdict>(4).fill('missed'),
  'not_applicable',
]

/** Derives a judgement from the id of the call for the provider mock. The same call always gets the same verdicts. Critical rules are always met. */
function inventJudgement(set: RuleSetBody, recordingId: string): CallJudgement {
  const bytes = sha256(`${recordingId} ${set.key}`)
  const findings = set.rules.map(({ key, critical }, n): RuleFinding => {
    const verdict = INVENTED_VERDICTS[bytes[n % bytes.length]! % INVENTED_VERDICTS.length]!
    return {
      rule: key,
      verdict: critical ? 'met' : set.mode === 'label' ? 'missed' : verdict,
      decidedBy: 'rules',
      evidence: [],
      why: { code: 'model', text: 'Invented for a demonstration' },
    }
  })
  return { ...calculateCallScore(set, findings), findings, labels: [] }
}
