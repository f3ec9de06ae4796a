import { SYSTEM } from '../../platform/http/actor.ts'
import type { DataSource } from 'typeorm'
import { insertEntry } from '../../platform/audit/record.ts'
import { hashPassword } from '../auth/passwords.ts'
import { transaction } from '../../platform/db/db.ts'

/**
 * Gives a person a new password on the server's own command line, ends their sessions and notes it as the service's own
 * change.
 * @throws Error where nobody has the e-mail, or who has it is deactivated
 */
export async function resetPassword(db: DataSource, email: string, password: string, activate = false): Promise<void> {
  const passwordHash = await hashPassword(password)
  await transaction(db, async (sql) => {
    const { rows } = await sql.query<{ id: string; name: string; active: boolean }>({
      text: 'SELECT id, name, active FROM people WHERE lower(email) = lower($1) FOR UPDATE',
      values: [email],
    })
    const person = rows[0]
    if (!person) throw new Error(`nobody has the e-mail ${email}`)
    if (!person.active && !activate) throw new Error(`${email} is deactivated: add --activate to let them in again`)
    await sql.query({
      text: 'UPDATE people SET password_hash = $2, active = true WHERE id = $1',
      values: [person.id, passwordHash],
    })
    await sql.query({ text: 'DELETE FROM sessions WHERE person_id = $1', values: [person.id] })
    const after = { password: 'changed', by: 'reset-password', ...(person.active ? {} : { active: true }) }
    const object = { type: 'person', id: person.id, name: person.name } as const
    await insertEntry(sql, SYSTEM, { action: 'person.change', object, details: { before: {}, after } })
  })
}
