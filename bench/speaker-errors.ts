/** Finds from the track of each speaker who speaks when, and how much of the speech a separation assigns to the wrong speaker. */
import type { SpeakerPhrase, TimeSpan } from '../src/recognizer/speakers/separate.ts'
import { VAD_FRAME_SAMPLES, VAD_SAMPLE_RATE, VoiceDetector } from '../src/recognizer/vad.ts'
import { CALL_RATE, measureRms, toInt16, runFfmpeg } from './two-voice-calls.ts'

const FRAME_SECONDS = 0.01
const FRAME = CALL_RATE * FRAME_SECONDS
/** Frames of a track count as speech if they are at most this many decibels below its loud frames. */
const SPEECH_RANGE_DB = 32
/** A shorter pause belongs to the speech around it. */
const MIN_PAUSE_FRAMES = 25
const MIN_SPEECH_FRAMES = 5
/** Frames around a change that are not judged, as in the evaluations of NIST. */
const COLLAR_FRAMES = 25

/** Returns 1 for each frame in which a track has speech, else 0. */
export function findTrackSpeech(track: Float32Array): Uint8Array {
  const levels = Float32Array.from({ length: Math.ceil(track.length / FRAME) }, (_, n) =>
    20 * Math.log10(measureRms(track.subarray(n * FRAME, (n + 1) * FRAME)) + 1e-6)) // prettier-ignore
  const loud = levels.toSorted().at(-Math.ceil(levels.length * 0.03))!
  const speech = Uint8Array.from(levels, (level) => Number(level > loud - SPEECH_RANGE_DB))
  replaceShortRuns(speech, 0, MIN_PAUSE_FRAMES)
  replaceShortRuns(speech, 1, MIN_SPEECH_FRAMES)
  return speech
}

function replaceShortRuns(values: Uint8Array, value: number, length: number): void {
  for (let at = 0; at < values.length;) {
    let end = at
    while (end < values.length && values[end] === values[at]) end++
    if (values[at] === value && end - at < length && at > 0 && end < values.length) values.fill(1 - value, at, end)
    at = end
  }
}

/** Returns for each frame its only speaker, or -1 for silence, simultaneous speech, and frames near a change. */
export function findOnlySpeakers(tracks: Float32Array[]): Int8Array {
  const speech = tracks.map(findTrackSpeech)
  const length = Math.max(...speech.map((one) => one.length))
  const reference = new Int8Array(length).fill(-1)
  for (let n = 0; n < length; n++) {
    const active = speech.flatMap((one, speaker) => (one[n] ? [speaker] : []))
    if (active.length === 1) reference[n] = active[0]!
  }
  const judged = reference.slice()
  for (const one of speech)
    for (let n = 1; n < one.length; n++)
      if (one[n] !== one[n - 1]) judged.fill(-1, Math.max(0, n - COLLAR_FRAMES), n + COLLAR_FRAMES)
  return judged
}

export interface SeparationErrors {
  /** The share of the judged speech covered by phrases that has the wrong speaker, from 0 to 1. */
  wrong: number
  /** The judged seconds; `missed` counts those that no phrase covers. */
  seconds: number
  missed: number
  /** Seconds with the right and with the wrong speaker, by the confidence of the phrase in tenths. */
  byConfidence: { right: number[]; wrong: number[] }
}

/** Compares phrases with the reference; which speaker is 0 does not matter. */
export function judgePhrases(phrases: SpeakerPhrase[], reference: Int8Array): SeparationErrors {
  const found = new Int8Array(reference.length).fill(-1)
  const confidences = new Float32Array(reference.length)
  for (const { start, end, speaker, confidence } of phrases) {
    const [from, to] = [Math.round(start / FRAME_SECONDS), Math.round(end / FRAME_SECONDS)]
    found.fill(speaker, from, to)
    confidences.fill(confidence, from, to)
  }
  const judged = Array.from(reference.keys()).filter((n) => reference[n]! >= 0)
  const covered = judged.filter((n) => found[n]! >= 0)
  const count = (isSwapped: boolean) =>
    covered.filter((n) => found[n] === (isSwapped ? 1 - reference[n]! : reference[n])).length
  const isSwapped = count(true) > count(false)
  const [right, wrong] = [0, 1].map(() => Array.from({ length: 11 }, () => 0)) as [number[], number[]]
  for (const n of covered) {
    // A third speaker has no voice of their own, so all their speech is wrong.
    const isRight = found[n] === (isSwapped ? 1 - reference[n]! : reference[n])
    ;(isRight ? right : wrong)[Math.floor(confidences[n]! * 10 + 1e-6)]! += FRAME_SECONDS
  }
  return {
    wrong: (covered.length - count(isSwapped)) / Math.max(1, covered.length),
    seconds: judged.length * FRAME_SECONDS,
    missed: (judged.length - covered.length) * FRAME_SECONDS,
    byConfidence: { right, wrong },
  }
}

/** Finds the sections with speech in 8 kHz samples, by the recognizer's detector. */
export async function detectSpeech(samples: Float32Array, vad: VoiceDetector): Promise<TimeSpan[]> {
  const wide = resampleForVad(samples)
  const frames = Array.from({ length: Math.floor(wide.length / VAD_FRAME_SAMPLES) }, (_, n) => wide.subarray(n * VAD_FRAME_SAMPLES, (n + 1) * VAD_FRAME_SAMPLES)) // prettier-ignore
  const probabilities: number[] = []
  for (let at = 0; at < frames.length; at += 32) probabilities.push(...(await vad.detect(frames.slice(at, at + 32))))
  const seconds = VAD_FRAME_SAMPLES / VAD_SAMPLE_RATE
  const sections: TimeSpan[] = []
  let speaking = false
  for (const [n, probability] of probabilities.entries()) {
    const speaks: boolean = probability >= 0.5 || (speaking && probability >= 0.35)
    if (speaks && !speaking) sections.push({ start: n * seconds, end: 0 })
    if (speaks) sections.at(-1)!.end = (n + 1) * seconds
    speaking = speaks
  }
  return sections.filter(({ start, end }) => end - start > 0.09)
}

/** Resamples a call from 8 kHz to 16 kHz, the rate of the recognizer's voice detector. */
export function resampleForVad(samples: Float32Array): Float32Array {
  return runFfmpeg(['-f', 's16le', '-ar', String(CALL_RATE), '-ac', '1', '-i', 'pipe:0'], [], toInt16(samples), VAD_SAMPLE_RATE) // prettier-ignore
}

/** Cuts sections of speech at quiet moments, about three times a second, as a substitute for recognized words. */
export function cutSpeechAtQuietMoments(sections: TimeSpan[], samples: Float32Array): TimeSpan[] {
  const level = (frame: number) => measureRms(samples.subarray(frame * FRAME, (frame + 2) * FRAME))
  return sections.flatMap(({ start, end }) => {
    const words: TimeSpan[] = []
    let from = start
    while (end - from > 0.5) {
      let best = from + 0.2
      for (let at = from + 0.2; at < Math.min(from + 0.45, end - 0.15); at += FRAME_SECONDS)
        if (level(Math.round(at / FRAME_SECONDS)) < level(Math.round(best / FRAME_SECONDS))) best = at
      words.push({ start: from, end: best })
      from = best
    }
    return [...words, { start: from, end }]
  })
}
