/** A stretch of speech. Times in seconds from the start of the recording. */
export interface Segment {
  start: number
  end: number
  channel: number
  text: string
  /** 0 to 1; null if unknown, absent in calls of earlier releases. */
  confidence?: number | null | undefined
}

/** Start, end and confidence of each word of a segment; its words are its text, parted at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/** exact: read from the model's frames; estimated: from what it listened to. */
export const TIMINGS = ['exact', 'estimated'] as const
export type Timing = (typeof TIMINGS)[number]
