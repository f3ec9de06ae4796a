import { type Role, type Right, type Language } from './values.ts'

export * from './values.ts'

/** An employee who logs in to the panel. */
export interface Person {
  id: string
  /** As typed; unique without regard to case. */
  email: string
  name: string
  role: Role
  rights: Partial<Record<Right, boolean>>
  /** argon2id, in its own string format. */
  passwordHash: string
  /** Whether their password was given to them, for the first login only. */
  mustChangePassword: boolean
  active: boolean
  /** Of the panel; null: as the browser asks for. */
  language: Language | null
  createdAt: Date
  lastLoginAt: Date | null
}
