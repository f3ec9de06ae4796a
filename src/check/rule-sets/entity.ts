import { Column, Entity, PrimaryColumn } from 'typeorm'
import type { Applies, Language, Rule } from '../rules/types.ts'

/** By what calls are judged. What it looks for is in its versions. */
@Entity('rule_sets')
export class RuleSet {
  @PrimaryColumn('uuid')
  id!: string

  /** Unique among those that are not archived. */
  @Column('text')
  key!: string

  @Column('jsonb')
  name!: Record<Language, string>

  @Column('text')
  mode!: 'score' | 'label'

  /** To which calls; of several score sets the first by position that fits. */
  @Column('jsonb')
  applies!: Applies

  @Column('integer')
  position!: number

  @Column('text')
  origin!: 'shipped' | 'own'

  @Column('text', { name: 'shipped_hash', nullable: true })
  shippedHash!: string | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'archived_at', nullable: true })
  archivedAt!: Date | null
}

export const VERSION_STATES = ['draft', 'published', 'retired'] as const
export type VersionState = (typeof VERSION_STATES)[number]

/** The rules of a set as they were at some time: one draft and one published of each set, and those before. */
@Entity('rule_set_versions')
export class RuleSetVersion {
  @PrimaryColumn('uuid')
  id!: string

  @Column('uuid', { name: 'rule_set_id' })
  ruleSetId!: string

  /** From 1. */
  @Column('integer')
  number!: number

  @Column('text')
  state!: VersionState

  @Column('jsonb')
  rules!: Rule[]

  @Column('text')
  hash!: string

  /** Of a draft: counts its changes, so that nobody overwrites one that they have not seen. */
  @Column('integer')
  revision!: number

  @Column('text', { nullable: true })
  note!: string | null

  @Column('uuid', { name: 'author_id', nullable: true })
  authorId!: string | null

  @Column('text', { name: 'author_name', nullable: true })
  authorName!: string | null

  @Column('uuid', { name: 'publisher_id', nullable: true })
  publisherId!: string | null

  @Column('text', { name: 'publisher_name', nullable: true })
  publisherName!: string | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'changed_at' })
  changedAt!: Date

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt!: Date | null

  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt!: Date | null
}
