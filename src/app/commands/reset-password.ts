import { resetPassword } from '../../people/people/service.ts'
import { runWithInstallationConfig, withInstallationDatabase } from '../backup/installation.ts'
import { generateReadablePassword } from '../start/secret-store.ts'
import { defineCommandTool, parseSingleArgument } from './command.ts'

const usage = `Usage: reset-password EMAIL

Gives a person a new password, prints it once, and ends the sessions of the person. The audit log records this.

  --activate   also reactivates a deactivated person
`

export const run = defineCommandTool({
  name: 'reset-password',
  usage,
  options: { activate: { type: 'boolean' } },
  async work({ values, positionals, print, note }) {
    const email = parseSingleArgument(positionals, 'e-mail')
    const password = generateReadablePassword()
    await runWithInstallationConfig({ printStatus: note }, (config) =>
      withInstallationDatabase(config, (db) => resetPassword(db, email, password, values.activate ?? false)),
    )
    await print(`${password}\n`)
  },
})
