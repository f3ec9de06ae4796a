import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A piece of speech. Times in seconds from the start of the recording. */
export interface Segment {
  start: number
  end: number
  channel: number
  text: string
  /** 0 to 1; null if unknown, absent in calls of earlier releases. */
  confidence?: number | null | undefined
  /** Null if unknown, absent in calls of earlier releases: see presentSegments(). */
  speaker?: 0 | 1 | null | undefined
  /** 0 to 1; null without a speaker. */
  speakerConfidence?: number | null | undefined
}

/** Start, end and confidence of each word of a segment; its words are its text, split at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/** exact: from the model's frames; estimated: from its attention. */
export const TIMINGS = ['exact', 'estimated'] as const
export type Timing = (typeof TIMINGS)[number]

/** The text of a recording that is DONE. */
@Entity('transcripts')
export class Transcript {
  @PrimaryColumn('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('text')
  text!: string

  @Column('text')
  model!: string

  @Column('text')
  decoder!: string

  @Column('text')
  language!: string

  /** json, not jsonb: it is read whole, and its keys keep their order. */
  @Column('json')
  segments!: Segment[]

  @Column('text', { nullable: true })
  timing!: Timing | null

  /** Of each segment; null if the recognizer returns none. */
  @Column('json', { nullable: true })
  words!: WordTimes[] | null

  /** The hash of the segments before their speakers changed, to which reviews refer; null if they did not. */
  @Column('text', { name: 'first_hash', nullable: true })
  firstHash!: string | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date
}
