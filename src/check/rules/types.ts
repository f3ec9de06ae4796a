/** What the call check is made of: rule sets as they travel as JSON, calls as they are judged, and what becomes of both. */

export type Language = 'en' | 'ru'
export type Side = 'agent' | 'client' | 'any'
export type Direction = 'INBOUND' | 'OUTBOUND'

export const KINDS = [
  'said',
  'notSaid',
  'asked',
  'reply',
  'order',
  'talkShare',
  'longestSilence',
  'pace',
  'interruptions',
  'monologue',
  'number',
  'model',
] as const
export type Kind = (typeof KINDS)[number]

/**
 * Phrases by language; both are looked for in every call. Words match in all their forms, with at most two others between;
 * «in quotation marks» exactly as written; of words with a stroke between («муж/жена») either. Slots: {имя} {name}, {число}
 * {number}, {день} {day}, and by itself {вопрос} {question}: a sentence with a question mark.
 */
export type Phrases = Partial<Record<Language, string[]>>

/** A time at the beginning or at the end of the talk, in seconds. */
export interface Window {
  first?: number
  last?: number
}

/** What must have been said before: phrases of a side, or what another rule has found. */
export interface After {
  side?: Side
  any?: Phrases
  /** The key of another rule, in the place of `any`. */
  rule?: string
  /** Seconds that may lie between; without it, until the end of the call. */
  within?: number
}

/**
 * One rule. What the fields mean for its kind:
 * - said: `any` at least `min` times (1), and something of each group of `all`; notSaid: not even once.
 * - asked: `any` in at least `min` different questions. order: something of each group of `all`, one after the other.
 * - reply: `any` of `side` after `after`, by the other speaker.
 * - number: a number between `min` and `max` in the place of the slot {number} of a phrase, or within five words of it.
 * - talkShare (percent of the talk that `side` speaks), longestSilence (seconds), pace (words a minute), interruptions
 *   (how often `side` breaks in), monologue (seconds without a word of the other): between `min` and `max`.
 * - model: an external model answers `hint`, or the name; without an answer it is unknown.
 */
export interface Rule {
  key: string
  name: Record<Language, string>
  /** What meets the rule, for people and for a model. */
  hint?: Partial<Record<Language, string>>
  kind: Kind
  /** Who speaks; default any. */
  side?: Side
  window?: Window
  after?: After
  any?: Phrases
  all?: Phrases[]
  /** What takes a match away that shares a word with it, of `any`, `all` and `after`. */
  except?: Phrases
  min?: number
  max?: number
  /** 0 to 100. */
  weight?: number
  /** Missed, it makes the score 0. */
  critical?: boolean
  /** anchor: not applicable in a call without what `after` (of number: `any`) asks for. */
  na?: 'anchor'
  /** Where one cannot tell who speaks: search all that was said, or leave it unknown (default: skip for notSaid, reply). */
  mono?: 'search' | 'skip'
}

export interface Applies {
  direction?: (Direction | null)[]
  departmentIds?: string[]
  minDurationSeconds?: number
  minWords?: number
}

/** A rule set as it travels as JSON. score: points; label: each rule that is met is a label. */
export interface RuleSetBody {
  key: string
  name: Record<Language, string>
  mode: 'score' | 'label'
  applies?: Applies
  rules: Rule[]
}

/** One piece of a transcript; times in seconds. */
export interface Piece {
  channel: number
  start: number
  end: number
  text: string
}

/** A call as it is judged. */
export interface Dialogue {
  segments: Piece[]
  /** Channels of the audio: in one, nobody knows who speaks. */
  channels: 1 | 2
  /** The agent's channel of two; null where nobody has said so. */
  agentChannel: 0 | 1 | null
  direction: Direction | null
  durationSeconds: number
}

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

/**
 * Why a verdict is what it is, to be said in either language by `sayWhy()` (why.ts). Times in seconds; `from` and `to` are
 * where was looked, which findings of earlier releases do not tell of replies and orders.
 */
export type Why =
  | { code: 'found'; count: number }
  | { code: 'notFound'; from: number; to: number; found?: number; needed?: number }
  | { code: 'forbidden'; count: number }
  | { code: 'noAnchor' }
  | { code: 'noReply'; within: number | null; from?: number; to?: number }
  | { code: 'notInOrder'; step: number; from?: number; to?: number }
  | { code: 'measured'; value: number; min: number | null; max: number | null }
  | { code: 'speakersUnknown' }
  | { code: 'nothingSaid' }
  | { code: 'noAnswer' }
  | { code: 'model'; text: string }

export interface Finding {
  /** The rule's key. */
  rule: string
  verdict: Verdict
  decidedBy: 'rules' | 'model'
  /** What proves it; of a missed reply, what was left without an answer. */
  evidence: Evidence[]
  why: Why
}

/** What a rule set makes of a call. */
export interface Judgement {
  /** 0 to 100; null where less than half of the weight could be judged, and for label sets. */
  score: number | null
  /** The score as it would be without critical rules. */
  scoreBeforeCritical: number | null
  /** Percent of all weight that was judged, met or missed; null for label sets. */
  coverage: number | null
  /** One of each rule, in the set's order. */
  findings: Finding[]
  /** The rules that are met, in label sets. */
  labels: { rule: string; evidence: Evidence[] }[]
}

/**
 * What a model has answered, by rule key; quotes are checked already. An answer counts before what words say, so give only
 * those of rules that the model shall judge.
 */
export type ModelAnswers = Record<string, { verdict: Verdict; evidence: Evidence[]; why: string }>
