import { Column, Entity, PrimaryColumn } from 'typeorm'
import { type Role, type Right, type Language } from './values.ts'

export * from './values.ts'

/** Represents a person who can log in to the panel. */
@Entity('people')
export class Person {
  @PrimaryColumn('uuid')
  id!: string

  /** Stored as typed; unique regardless of case. */
  @Column('text')
  email!: string

  @Column('text')
  name!: string

  @Column('text')
  role!: Role

  @Column('jsonb')
  rights!: Partial<Record<Right, boolean>>

  /** Argon2id hash in PHC string format, which includes the parameters. */
  @Column('text', { name: 'password_hash' })
  passwordHash!: string

  /** True if the panel asks the person to replace a password that somebody else set. */
  @Column('boolean', { name: 'must_change_password' })
  mustChangePassword!: boolean

  @Column('boolean')
  active!: boolean

  /** Language of the panel; null for the language of the browser. */
  @Column('text', { nullable: true })
  language!: Language | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null
}
