import type { Static } from 'typebox'
import type { RuleSetScopeSchema, RuleSchema, RuleSetBodySchema } from './schema.ts'
import type { RULE_KIND_NAMES } from './values.ts'

/** A language that phrases have. */
export type Language = 'en' | 'ru'
type Direction = 'INBOUND' | 'OUTBOUND'

export type RuleKindName = (typeof RULE_KIND_NAMES)[number]
export type RuleSetBody = Static<typeof RuleSetBodySchema>
export type Rule = Static<typeof RuleSchema>
export type RuleSetScope = Static<typeof RuleSetScopeSchema>
/** Whose words a rule is about. */
export type SpeakerSide = NonNullable<Rule['side']>
/** Phrases by language. */
export type Phrases = NonNullable<Rule['any']>

/** A segment of a transcript; times in seconds. */
export interface DialogueSegment {
  /** The channel, or the voice of a call whose speakers are told apart by voice. */
  channel: number
  /** Whether it is uncertain which voice it is. */
  isUncertain?: boolean
  start: number
  end: number
  text: string
}

/** A call as the check judges it. */
export interface Dialogue {
  segments: DialogueSegment[]
  /** How many speakers are told apart, by channel or by voice: with one, the speakers are unknown. */
  channels: 1 | 2
  /** The agent's channel of two; null if it is uncertain: rules about one side are then unknown. */
  agentChannel: 0 | 1 | null
  direction: Direction | null
  durationSeconds: number
}

/** The verdict on a rule. */
export type Verdict = 'met' | 'missed' | 'not_applicable' | 'unknown'

/** A position in the transcript: `quote` is `text.slice(from, to)` of the segment, `start` and `end` its seconds. */
export interface Evidence {
  segment: number
  from: number
  to: number
  quote: string
  start: number
  end: number
  side: 'agent' | 'client' | 'unknown'
}

/** The reason of a verdict. Times in seconds; `from` and `to` are the part of the call that was searched. */
export type VerdictReason =
  | { code: 'found'; count: number }
  | { code: 'notFound'; from: number; to: number; found?: number; needed?: number }
  | { code: 'forbidden'; count: number }
  | { code: 'noAnchor' }
  | { code: 'noReply'; within: number | null; from: number; to: number }
  | { code: 'notInOrder'; step: number; from: number; to: number }
  | { code: 'measured'; value: number; min: number | null; max: number | null }
  | { code: 'speakersUnknown' }
  | { code: 'nothingSaid' }
  | { code: 'noAnswer' }
  | { code: 'model'; text: string }

/** The verdict on one rule, with its evidence and reason. */
export interface Finding {
  rule: string
  verdict: Verdict
  decidedBy: 'rules' | 'model'
  /** The quotes behind the verdict; for a missed reply, the unanswered words. */
  evidence: Evidence[]
  why: VerdictReason
}

/** The verdicts of a set on a call, and the score. */
export interface Judgement {
  /** 0 to 100; null if less than half of the weight could be judged, and for label sets. */
  score: number | null
  /** The score without critical rules. */
  scoreBeforeCritical: number | null
  /** The share of the weight that was judged, met or missed, in percent; null for label sets. */
  coverage: number | null
  /** One for each rule, in the set's order. */
  findings: Finding[]
  labels: { rule: string; evidence: Evidence[] }[]
}

/** Verdicts of a model by rule key, with checked quotes; only for rules that a model judges. */
export type ModelAnswers = Record<string, { verdict: Verdict; evidence: Evidence[]; why: string }>
