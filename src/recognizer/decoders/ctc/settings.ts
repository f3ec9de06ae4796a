export interface SearchSettings {
  alpha: number
  beta: number
  /** Beams kept after every frame. */
  beamWidth: number
  /** Beams this far below the best one are dropped. */
  beamPruneLogp: number
  /** Tokens below this are not considered, except the best one of the frame. */
  tokenMinLogp: number
  /** Added to the log10 probability of an unknown word, and to the score of a word that is not finished. */
  unknownOffset: number
  /** Whether a text begins and ends as a sentence of the language model. */
  scoreBoundary: boolean
}

/** The settings that T-one was published with. */
export const T_ONE_SETTINGS: SearchSettings = {
  alpha: 0.4,
  beta: 0.9,
  beamWidth: 200,
  beamPruneLogp: -10,
  tokenMinLogp: -5,
  unknownOffset: -10,
  scoreBoundary: true,
}
