import type { Static } from 'typebox'
import type { RuleSetScopeSchema, RuleSchema, RuleSetBodySchema } from './schema.ts'
import type { RULE_KIND_NAMES } from './values.ts'

/** The languages in which rules have names and phrases. */
export type PhraseLanguage = 'en' | 'ru'
type Direction = 'INBOUND' | 'OUTBOUND'

export type RuleKindName = (typeof RULE_KIND_NAMES)[number]
export type RuleSetBody = Static<typeof RuleSetBodySchema>
export type Rule = Static<typeof RuleSchema>
export type RuleSetScope = Static<typeof RuleSetScopeSchema>
/** The side whose words a rule searches or measures. */
export type SpeakerSide = NonNullable<Rule['side']>
/** Phrases of a rule in English and Russian. Both are searched in every call. */
export type PhrasesByLanguage = NonNullable<Rule['any']>

/** A segment of a transcript. Times are in seconds from the start of the call. */
export interface DialogueSegment {
  /** The index of the channel, or of the voice if the speakers are separated by voice. */
  channel: number
  /** True if it is uncertain which voice says the segment. */
  isUncertain?: boolean
  /** True if the voice is not certain enough for a critical rule. */
  isDoubtful?: boolean
  start: number
  end: number
  text: string
}

/** The input of the call check: the transcript of a call, its channels and direction. */
export interface Dialogue {
  segments: DialogueSegment[]
  /** 2 if the two speakers are separated, by channel or by voice, else 1. */
  channels: 1 | 2
  /** The agent's channel or voice; null if it is uncertain or `channels` is 1. With two channels, null makes rules about one side unknown. */
  agentChannel: 0 | 1 | null
  /** True if the agent is not certain enough for a critical rule. */
  isAgentDoubtful?: boolean
  direction: Direction | null
  durationSeconds: number
}

/** The verdict on a rule; `unknown` means not determined. */
export type Verdict = 'met' | 'missed' | 'not_applicable' | 'unknown'

/** A quote with its position: `quote` is `text.slice(from, to)` of the segment, `start` and `end` are seconds of the call. */
export interface Evidence {
  segment: number
  from: number
  to: number
  quote: string
  start: number
  end: number
  side: 'agent' | 'client' | 'unknown'
}

/** The reason of a verdict, by code. Times are in seconds; `from` and `to` are the part of the call that was searched. */
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

/** The verdict on one rule, with its quotes and reason. */
export interface RuleFinding {
  rule: string
  verdict: Verdict
  decidedBy: 'rules' | 'model'
  /** The quotes behind the verdict. A missed reply quotes the unanswered words. */
  evidence: Evidence[]
  why: VerdictReason
}

/** The verdicts and the score that a rule set gives a call. */
export interface CallJudgement {
  /** From 0 to 100. It is 0 if a critical rule is missed, else null if less than half of the weight is met or missed. Null for label sets. */
  score: number | null
  /** The score without the effect of critical rules. */
  scoreBeforeCritical: number | null
  /** The share of the weight that is met or missed, in percent, rounded down; null for label sets. */
  coverage: number | null
  /** Each rule has one finding, in the order of the rule set. */
  findings: RuleFinding[]
  labels: { rule: string; evidence: Evidence[] }[]
}

/** The verdicts of a model by rule key. Their quotes are verified against the transcript. */
export type ModelAnswers = Record<string, { verdict: Verdict; evidence: Evidence[]; why: string }>
