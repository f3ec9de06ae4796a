import { Column, Entity, PrimaryColumn } from 'typeorm'

export const ROLES = ['owner', 'head', 'manager'] as const
export type Role = (typeof ROLES)[number]

/** What a person may do beyond reading; an owner has all of them. */
export const RIGHTS = ['audio', 'export', 'manageRecordings', 'analytics', 'editRules'] as const
export type Right = (typeof RIGHTS)[number]

/** The languages of the panel. */
export const LANGUAGES = ['en', 'ru'] as const
export type Language = (typeof LANGUAGES)[number]

/** An employee who logs in to the panel. */
@Entity('people')
export class Person {
  @PrimaryColumn('uuid')
  id!: string

  /** As typed; unique without regard to case. */
  @Column('text')
  email!: string

  @Column('text')
  name!: string

  @Column('text')
  role!: Role

  @Column('jsonb')
  rights!: Partial<Record<Right, boolean>>

  /** argon2id, in its own string format. */
  @Column('text', { name: 'password_hash' })
  passwordHash!: string

  /** Whether their password was given to them, for the first login only. */
  @Column('boolean', { name: 'must_change_password' })
  mustChangePassword!: boolean

  @Column('boolean')
  active!: boolean

  /** Of the panel; null: as the browser asks for. */
  @Column('text', { nullable: true })
  language!: Language | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null
}
