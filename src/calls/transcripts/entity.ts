import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A sentence or phrase of a transcript. Times are seconds from the start of the recording. */
export interface Segment {
  start: number
  end: number
  channel: number
  text: string
  /** From 0 to 1. Null if unknown, missing in calls of earlier releases. */
  confidence?: number | null | undefined
}

/** Start, end and confidence of each word of a segment. The words are the text of the segment split at spaces. */
export type WordTimes = [start: number, end: number, confidence: number | null][]

/**
 * exact: word times come from the model's frames.
 * estimated: word times come from the model's attention.
 */
export const TIMINGS = ['exact', 'estimated'] as const
export type Timing = (typeof TIMINGS)[number]

/** The transcript of a DONE recording. */
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

  /** The type is json instead of jsonb, because we always read it whole and json keeps the order of the keys. */
  @Column('json')
  segments!: Segment[]

  @Column('text', { nullable: true })
  timing!: Timing | null

  /** Word times of each segment, or null if the recognizer returned none. */
  @Column('json', { nullable: true })
  words!: WordTimes[] | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date
}
