/**
 * Parameters of the CTC beam search, which are those of pyctcdecode. `alpha` weights the language model. `beta` is added for each
 * word.
 */
export interface BeamSearchSettings {
  alpha: number
  beta: number
  /** Number of beams after each frame. */
  beamWidth: number
  /** Drops beams whose score is below the best score plus this negative value. */
  beamPruneLogp: number
  /** Skips tokens with a lower log probability, except the best token of the frame. */
  tokenMinLogp: number
  /** Negative penalty: added to the log10 probability of an unknown word, and to the score of an unfinished one. */
  unknownOffset: number
  /** True if the language model scores the start and the end of the sentence. */
  scoreBoundary: boolean
}

/** The settings that T-one publishes. */
export const T_ONE_BEAM_SEARCH_SETTINGS: BeamSearchSettings = {
  alpha: 0.4,
  beta: 0.9,
  beamWidth: 200,
  beamPruneLogp: -10,
  tokenMinLogp: -5,
  unknownOffset: -10,
  scoreBoundary: true,
}
