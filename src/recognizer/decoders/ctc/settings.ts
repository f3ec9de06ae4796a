/** The parameters of the beam search, named as in pyctcdecode. */
export interface SearchSettings {
  alpha: number
  beta: number
  /** Beams kept after every frame. */
  beamWidth: number
  /** Beams this far below the best one are dropped. */
  beamPruneLogp: number
  /** Tokens below this are skipped, except the best one of the frame. */
  tokenMinLogp: number
  /** Added to the log10 probability of an unknown word, and to the score of an unfinished word. */
  unknownOffset: number
  /** Whether a text begins and ends as a sentence of the language model. */
  scoreBoundary: boolean
}

/** The published settings of T-one. */
export const T_ONE_SETTINGS: SearchSettings = {
  alpha: 0.4,
  beta: 0.9,
  beamWidth: 200,
  beamPruneLogp: -10,
  tokenMinLogp: -5,
  unknownOffset: -10,
  scoreBoundary: true,
}
