/** A part of the audio, in seconds. */
export interface TimeSpan {
  start: number
  end: number
}
