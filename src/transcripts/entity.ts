import { Column, Entity, PrimaryColumn } from 'typeorm'

/** A stretch of speech. Times in seconds from the start of the recording. */
export interface Segment {
  start: number
  end: number
  channel: number
  text: string
}

/** What was said in a recording that is DONE. */
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

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date
}
