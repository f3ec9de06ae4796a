import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A sentence or phrase of a transcript. Times are seconds from the start of the recording. */
export interface TranscriptSegment {
  start: number
  end: number
  channel: number
  text: string
  /** From 0 to 1. Null if unknown, missing in calls of earlier releases. */
  confidence?: number | null | undefined
  /** Null if unknown, absent in calls of earlier releases: see presentSegments(). */
  speaker?: 0 | 1 | null | undefined
  /** 0 to 1; null without a speaker. */
  speakerConfidence?: number | null | undefined
}

/** Start, end and confidence of each word of a segment. The words are the text of the segment split at spaces. */
export type SegmentWordTimes = [start: number, end: number, confidence: number | null][]

/**
 * exact: word times come from the model's frames.
 * estimated: word times come from the model's attention.
 */
export const TIMING_PRECISIONS = ['exact', 'estimated'] as const
export type TimingPrecision = (typeof TIMING_PRECISIONS)[number]

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
  segments!: TranscriptSegment[]

  @Column('text', { nullable: true })
  timing!: TimingPrecision | null

  /** Word times of each segment, or null if the recognizer returned none. */
  @Column('json', { nullable: true })
  words!: SegmentWordTimes[] | null

  /** Hash of the segments as first stored, to which reviews refer; null if the segments were never replaced. */
  @Column('text', { name: 'first_hash', nullable: true })
  firstHash!: string | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date
}
