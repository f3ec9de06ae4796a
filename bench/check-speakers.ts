/** Compares the check of calls on one channel, whose voices are separated, with the check of the same calls on two channels. */
import { MIN_SPEAKER_CONFIDENCE } from '../src/calls/recordings/values.ts'
import { judgeCall } from '../src/check/rules/judge-call.ts'
import { SHIPPED_RULE_SETS } from '../src/check/rules/shipped.ts'
import type { Dialogue, DialogueSegment, RuleSetBody, Verdict } from '../src/check/rules/types.ts'
import { detectAgent } from '../src/check/speakers/find-agent.ts'
import { MIN_CRITICAL_CONFIDENCE, toCertainDialogue, toVoiceSegments } from '../src/check/speakers/voice-segments.ts'
import { assignSpeakers } from '../src/platform/lib/speaker-segments.ts'
import { separateSpeakers } from '../src/recognizer/speakers/separate.ts'
import type { TimeSpan } from '../src/recognizer/speakers/time-span.ts'
import { loadVadSession, VoiceDetector } from '../src/recognizer/vad.ts'
import { loadJudgedCalls, type JudgedCall } from './database.ts'
import { detectSpeech } from './speaker-errors.ts'
import { reportFigure } from './support.ts'
import { CALL_RATE, TELEPHONE_LINES, loadEspeakVoices, makeCall, type Voice } from './two-voice-calls.ts'

/** Turns with a shorter pause between them are one segment of the recognizer until their speakers are known. */
const MIN_SEGMENT_PAUSE_SECONDS = 0.3
/** Lines without overlap, because the text of simultaneous turns would be lost. */
const TEXT_LINES = TELEPHONE_LINES.filter(({ overlap }) => !overlap)

type WordTimes = [start: number, end: number, confidence: null][]

/** Creates counts of calls and of their verdicts, all 0. */
const newCounts = () => ({
  calls: 0,
  notSeparated: 0,
  agentUncertain: 0,
  agentWrong: 0,
  verdicts: 0,
  unknown: 0,
  decided: 0,
  same: 0,
  decidedCritical: 0,
  wrongCritical: 0,
})
type Counts = ReturnType<typeof newCounts>

/**
 * Checks judged calls in the voices of espeak-ng.
 * @param count how many of the calls, evenly spread over all
 */
export async function measureChecksByVoice(count: number): Promise<void> {
  const vad = await loadVadSession()
  const voices = { en: loadEspeakVoices(), ru: loadEspeakVoices('ru') }
  const all = loadJudgedCalls()
  const calls = Array.from(
    { length: Math.min(count, all.length) },
    (_, n) => all[Math.floor((n * all.length) / count)]!,
  )
  const counts = newCounts()
  for (const [n, call] of calls.entries()) {
    const { stereo, segments, words, mix } = speakCall(call, voices[call.language], n)
    const speech = await detectSpeech(mix, new VoiceDetector(vad))
    const mono = await separateCall(call, stereo, { segments, words, mix, speech }, counts)
    for (const set of SHIPPED_RULE_SETS.filter(({ applies }) => applies?.direction?.includes(call.direction)))
      await compareVerdicts(call.key, set, stereo, mono, counts)
  }
  reportCounts(counts)
}

/** Builds a call on two channels, and the same without speakers: its segments, their words, and the samples. */
function speakCall({ key, turns, direction }: JudgedCall, voices: Voice[], seed: number) {
  const pair = [voices[seed % voices.length]!, voices[(seed + 1 + (seed % (voices.length - 1))) % voices.length]!]
  const spoken = turns.map(([side, text]) => [side === 'agent' ? 0 : 1, text] as const)
  const { mix, turns: times } = makeCall(key, pair, spoken, TEXT_LINES[seed % TEXT_LINES.length]!, seed + 1)
  const channels = spoken.map(([channel, text], n) => ({ channel, text, ...times[n]! }))
  const stereo: Dialogue = { segments: channels, channels: 2, agentChannel: 0, direction, durationSeconds: mix.length / CALL_RATE } // prettier-ignore
  return { stereo, mix, ...joinTurns(channels) }
}

function joinTurns(turns: DialogueSegment[]): { segments: DialogueSegment[]; words: WordTimes[] } {
  const segments: DialogueSegment[] = []
  const words: WordTimes[] = []
  for (const turn of turns) {
    const last = segments.at(-1)
    if (last && turn.start - last.end < MIN_SEGMENT_PAUSE_SECONDS) {
      Object.assign(last, { end: turn.end, text: `${last.text} ${turn.text}` })
      words.at(-1)!.push(...spreadWords(turn))
    } else {
      segments.push({ ...turn, channel: 0 })
      words.push(spreadWords(turn))
    }
  }
  return { segments, words }
}

/** Returns the times of the words of a turn, in proportion to their letters. */
function spreadWords({ start, end, text }: DialogueSegment): WordTimes {
  const secondsPerLetter = (end - start) / (text.length + 1)
  let at = start
  return text.split(' ').map((word) => {
    const from = at
    at += (word.length + 1) * secondsPerLetter
    return [from, at, null]
  })
}

interface UnassignedCall {
  segments: DialogueSegment[]
  words: WordTimes[]
  mix: Float32Array
  speech: TimeSpan[]
}

/** Returns the dialogue that the product checks for a call on one channel. */
async function separateCall(
  { key }: JudgedCall,
  stereo: Dialogue,
  { segments, words, mix, speech }: UnassignedCall,
  counts: Counts,
): Promise<Dialogue> {
  counts.calls++
  const spans = words.flat().map(([start, end]) => ({ start, end }))
  const { signal } = new AbortController()
  const { method, phrases } = await separateSpeakers({ samples: [mix], sampleRate: CALL_RATE }, speech, spans, signal)
  if (method === 'none') {
    counts.notSeparated++
    return { ...stereo, segments, channels: 1, agentChannel: null }
  }
  const voiced = assignSpeakers(segments, words, phrases).segments
  const { agent, agentConfidence } = await detectAgent(toCertainDialogue(voiced, stereo.direction), SHIPPED_RULE_SETS)
  const isCertain = agentConfidence >= MIN_SPEAKER_CONFIDENCE
  if (!isCertain) counts.agentUncertain++
  else if (agent !== findTrueAgent(stereo, phrases)) {
    counts.agentWrong++
    console.log(`${key}: the wrong agent, confidence ${agentConfidence}`)
  }
  return {
    ...stereo,
    segments: toVoiceSegments(voiced),
    agentChannel: isCertain ? agent : null,
    isAgentDoubtful: agentConfidence < MIN_CRITICAL_CONFIDENCE,
  }
}

/** Returns the voice whose phrases match the agent's turns best. */
function findTrueAgent({ segments }: Dialogue, phrases: (TimeSpan & { speaker: 0 | 1 })[]): 0 | 1 {
  let seconds = 0
  for (const turn of segments)
    for (const { start, end, speaker } of phrases) {
      const shared = Math.max(0, Math.min(end, turn.end) - Math.max(start, turn.start))
      seconds += speaker === turn.channel ? shared : -shared
    }
  return seconds >= 0 ? 0 : 1
}

async function compareVerdicts(key: string, set: RuleSetBody, stereo: Dialogue, mono: Dialogue, counts: Counts) {
  const [expected, found] = [await judgeCall(set, stereo), await judgeCall(set, mono)]
  for (const [index, rule] of set.rules.entries()) {
    const [right, actual]: Verdict[] = [expected.findings[index]!.verdict, found.findings[index]!.verdict]
    counts.verdicts++
    if (actual === 'unknown') {
      counts.unknown++
      continue
    }
    counts.decided++
    if (rule.critical) counts.decidedCritical++
    if (actual === right) {
      counts.same++
      continue
    }
    if (rule.critical) counts.wrongCritical++
    const quotes = [expected, found].map(({ findings }) => findings[index]!.evidence.map(({ quote }) => quote).join(' / ')) // prettier-ignore
    console.log(`${key} ${rule.key}${rule.critical ? ' (critical)' : ''}: ${right} becomes ${actual} on ${mono.channels === 1 ? 'one channel' : 'voices'} "${quotes.join('" "')}"`) // prettier-ignore
  }
}

function reportCounts(counts: Counts): void {
  const percent = (part: number, whole: number) => ((100 * part) / whole).toFixed(1)
  const { calls, verdicts, decided } = counts
  console.log(`${counts.notSeparated} of ${calls} calls not separated, agent uncertain in ${counts.agentUncertain}, wrong in ${counts.agentWrong}`) // prettier-ignore
  console.log(`${percent(counts.unknown, verdicts)} % of ${verdicts} verdicts unknown`)
  reportFigure(`${decided} decided verdicts as on two channels`, (100 * counts.same) / decided, { atLeast: 92 }, ' %')
  reportFigure(`critical verdicts of ${counts.decidedCritical} decided that differ`, counts.wrongCritical, {
    atMost: 0,
  })
}
