import { Column, Entity, PrimaryColumn } from 'typeorm'
import { JobColumns } from '../../platform/queue/job-columns.ts'
import type { Evidence, Verdict, Why } from '../rules/types.ts'
import type { Waits } from './values.ts'

/** What an owner has set, by the name of what it concerns. */
@Entity('settings')
export class Setting {
  @PrimaryColumn('text')
  name!: string

  @Column('jsonb')
  value!: object

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date
}

/** A check of a call; the row is its job. */
@Entity('analyses')
export class Analysis extends JobColumns {
  @Column('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('text')
  status!: 'QUEUED' | 'PROCESSING' | 'DONE' | 'SKIPPED' | 'FAILED' | 'CANCELLED'

  /** The recalculation that requested it first; null if a person or a transcript did too. analysis_run_checks lists all. */
  @Column('uuid', { name: 'run_id', nullable: true })
  runId!: string | null

  /** Whether the recording shows it: the last one that came to an end. */
  @Column('boolean', { name: 'is_current' })
  isCurrent!: boolean

  /** When a correction of the call made it outdated; null if it is current or was requested again. */
  @Column('timestamptz', { name: 'outdated_at', nullable: true })
  outdatedAt!: Date | null

  /** Why it was skipped. */
  @Column('text', { nullable: true })
  reason!: string | null

  @Column('text', { nullable: true })
  provider!: string | null

  @Column('text', { nullable: true })
  model!: string | null

  /** Of the rule set that gave the score. */
  @Column('uuid', { name: 'version_id', nullable: true })
  versionId!: string | null

  @Column('text', { name: 'transcript_hash', nullable: true })
  transcriptHash!: string | null

  @Column('smallint', { name: 'agent_channel', nullable: true })
  agentChannel!: 0 | 1 | null

  /** 0–100, after what people have said. */
  @Column('real', { nullable: true })
  score!: number | null

  /** The machine's own. */
  @Column('real', { name: 'score_auto', nullable: true })
  scoreAuto!: number | null

  @Column('real', { name: 'score_before_critical', nullable: true })
  scoreBeforeCritical!: number | null

  @Column('real', { nullable: true })
  coverage!: number | null

  @Column('integer', { name: 'input_tokens', nullable: true })
  inputTokens!: number | null

  @Column('integer', { name: 'output_tokens', nullable: true })
  outputTokens!: number | null

  @Column('double precision', { nullable: true })
  cost!: number | null

  @Column('text', { nullable: true })
  currency!: string | null

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date
}

/** What a check has found by one rule. Of label sets only the rules that are met have one. */
@Entity('findings')
export class FindingRow {
  @PrimaryColumn('uuid')
  id!: string

  @Column('uuid', { name: 'analysis_id' })
  analysisId!: string

  @Column('uuid', { name: 'version_id' })
  versionId!: string

  @Column('smallint')
  position!: number

  @Column('boolean', { name: 'is_label' })
  isLabel!: boolean

  @Column('text', { name: 'rule_key' })
  ruleKey!: string

  /** Of what decides the verdict. */
  @Column('text', { name: 'rule_hash' })
  ruleHash!: string

  @Column('text', { name: 'machine_verdict' })
  machineVerdict!: Verdict

  @Column('text', { name: 'machine_decided_by' })
  machineDecidedBy!: 'rules' | 'model'

  /** The machine's, or the last that a person has given. */
  @Column('text')
  verdict!: Verdict

  @Column('text', { name: 'decided_by' })
  decidedBy!: 'rules' | 'model' | 'person'

  @Column('jsonb')
  why!: Why

  @Column('jsonb')
  evidence!: Evidence[]

  @Column('text', { nullable: true })
  waits!: Waits | null
}

/** What a person has said of a finding; only added to. */
@Entity('reviews')
export class Review {
  @PrimaryColumn('uuid')
  id!: string

  @Column('uuid', { name: 'recording_id' })
  recordingId!: string

  @Column('uuid', { name: 'finding_id' })
  findingId!: string

  @Column('uuid', { name: 'rule_set_id' })
  ruleSetId!: string

  @Column('text', { name: 'rule_key' })
  ruleKey!: string

  @Column('text', { name: 'rule_hash' })
  ruleHash!: string

  @Column('text', { name: 'transcript_hash' })
  transcriptHash!: string

  @Column('text')
  kind!: 'verdict' | 'dispute'

  @Column('text', { name: 'machine_verdict' })
  machineVerdict!: Verdict

  @Column('text', { nullable: true })
  verdict!: Verdict | null

  @Column('text')
  comment!: string

  @Column('uuid', { name: 'person_id' })
  personId!: string

  @Column('text', { name: 'person_name' })
  personName!: string

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date
}
