import { hashPassword } from '../auth/passwords.ts'
import type { Core } from '../core.ts'
import { transaction } from '../db.ts'
import { newId } from '../lib/ids.ts'

/** Any number that is ours: whoever creates the first owner holds this lock. */
const FIRST_OWNER_LOCK = 7_361_001

/** Creates the first owner from BOOTSTRAP_ADMIN_*, only while the database holds no person. */
export async function createFirstOwner({ config, db, log }: Core): Promise<void> {
  const { BOOTSTRAP_ADMIN_EMAIL: email, BOOTSTRAP_ADMIN_PASSWORD: password } = config
  if (!email || !password) return
  const passwordHash = await hashPassword(password)
  const created = await transaction(db, async (sql) => {
    await sql.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [FIRST_OWNER_LOCK] })
    const { rowCount } = await sql.query({
      text: `INSERT INTO people (id, email, name, role, password_hash)
             SELECT $1, $2, $3, 'owner', $4 WHERE NOT EXISTS (SELECT FROM people)`,
      values: [newId(), email, email.split('@')[0], passwordHash],
    })
    return rowCount === 1
  })
  if (created) log.info('the first owner was created; BOOTSTRAP_ADMIN_PASSWORD can be removed now')
}
