import { resetPassword } from '../../people/people/service.ts'
import { onInstallation, withDatabase } from '../backup/installation.ts'
import { readablePassword } from '../start/secret-store.ts'
import { defineTool, onlyArgument } from './command.ts'

const usage = `Usage: reset-password EMAIL

Gives a person a new password, which is shown once, ends their sessions and notes it in the audit log.

  --activate   also lets somebody in again who was deactivated
`

export const run = defineTool({
  name: 'reset-password',
  usage,
  options: { activate: { type: 'boolean' } },
  async work({ values, positionals, print, note }) {
    const email = onlyArgument(positionals, 'e-mail')
    const password = readablePassword()
    await onInstallation({ tell: note }, (config) =>
      withDatabase(config, (db) => resetPassword(db, email, password, values.activate ?? false)),
    )
    await print(`${password}\n`)
  },
})
