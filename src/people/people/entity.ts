import { Column, Entity, PrimaryColumn } from 'typeorm'
import { type Role, type Right, type Language } from './values.ts'

export * from './values.ts'

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

  /** Whether their password is an initial one, given to them. */
  @Column('boolean', { name: 'must_change_password' })
  mustChangePassword!: boolean

  @Column('boolean')
  active!: boolean

  /** The language of the panel; null: the browser's. */
  @Column('text', { nullable: true })
  language!: Language | null

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date

  @Column('timestamptz', { name: 'last_login_at', nullable: true })
  lastLoginAt!: Date | null
}
