import { CepstrumMixtureModel } from './mixture.ts'
import { fitPitchModel } from './pitch-model.ts'
import { collectFrameIndices, type SpeechFrames } from './speech-frames.ts'
import { inferSpeakers } from './turn-taking.ts'

const MAX_COMPONENTS = 8
/** Seconds of speech per component of a mixture. */
const COMPONENT_SECONDS = 1
/** The least seconds of speech for the model of a speaker. */
const MIN_SECONDS = 1
/** Neighbouring frames are not independent, so a second of speech counts like this number of independent frames. */
const EVIDENCE_RATE = 5

/** The models of two speakers of a call. */
export class SpeakerModels {
  private readonly mixtures: CepstrumMixtureModel[]
  private pitchModels: Float64Array[] = []

  private constructor(
    private readonly frames: SpeechFrames,
    own: Int32Array[],
    random: () => number,
  ) {
    this.mixtures = own.map((some) => {
      const components = Math.min(MAX_COMPONENTS, Math.ceil(some.length / (COMPONENT_SECONDS * frames.rate)))
      return new CepstrumMixtureModel(components, frames.cepstra, some, random)
    })
  }

  /**
   * Trains models for the groups of each speaker.
   * @param labels speaker of each group: 0, 1, or -1 for groups to leave out
   * @returns undefined if a speaker has too little speech
   */
  static fit(frames: SpeechFrames, labels: Int8Array, rounds: number, random: () => number): SpeakerModels | undefined {
    const own = collectOwnFrames(frames, labels)
    if (!own) return undefined
    const models = new SpeakerModels(frames, own, random)
    models.train(own, rounds)
    return models
  }

  /**
   * Continues the training with other labels.
   * @returns false if a speaker has too little speech
   */
  retrain(labels: Int8Array, rounds: number): boolean {
    const own = collectOwnFrames(this.frames, labels)
    if (!own) return false
    this.train(own, rounds)
    return true
  }

  private train(own: Int32Array[], rounds: number): void {
    for (const [speaker, mixture] of this.mixtures.entries()) mixture.train(own[speaker]!, rounds)
    this.pitchModels = own.map((some) => fitPitchModel(this.frames.pitches, some))
  }

  /** Returns the log-likelihood ratio of a frame, by its cepstrum and, if voiced, its pitch. Positive means speaker 1. */
  compare(frame: number): number {
    const pitch = this.frames.pitches[frame]!
    const byPitch = pitch > 0 ? this.pitchModels[1]![pitch]! - this.pitchModels[0]![pitch]! : 0
    return this.mixtures[1]!.score(frame) - this.mixtures[0]!.score(frame) + byPitch
  }
}

function collectOwnFrames(frames: SpeechFrames, labels: Int8Array): Int32Array[] | undefined {
  const own = [0, 1].map((speaker) => collectFrameIndices(frames, (group) => labels[group] === speaker))
  return own.some(({ length }) => length < MIN_SECONDS * frames.rate) ? undefined : own
}

/** Returns the probability that speaker 1 says each group, from the ratios of its frames and from its neighbours. */
export function inferGroupSpeakers(ratios: Float32Array, { groups, offsets, rate }: SpeechFrames): Float64Array {
  const scores = Float64Array.from(groups, (_, group) => {
    let sum = 0
    for (let at = offsets[group]!; at < offsets[group + 1]!; at++) sum += ratios[at]!
    return (sum * EVIDENCE_RATE) / rate
  })
  return inferSpeakers(scores, groups)
}
