/** A part of the audio, in seconds from its start. */
export interface TimeSpan {
  start: number
  end: number
}
