import { parseArgs } from 'node:util'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { onInstallation, type InstallationConfig } from '../backup/installation.ts'
import { connect } from '../../platform/db/db.ts'
import { resetPassword } from '../../people/people/reset.ts'
import { readablePassword } from '../start/secret-store.ts'
import { printInstallation } from './backup.ts'

const USAGE = `Usage: reset-password EMAIL

Gives a person a new password, which is shown once, ends their sessions and notes it in the audit log.

  --activate   also lets somebody in again who was deactivated
`

/** Resets the password of somebody who cannot log in any more. @returns the exit code */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('reset-password', USAGE, streams, async () => {
    const options = { help: { type: 'boolean', short: 'h' }, activate: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    const [email, ...more] = positionals
    if (!email) throw new Misuse('the e-mail is missing')
    if (more.length > 0) throw new Misuse(`one e-mail is enough: ${more[0]}`)
    const password = readablePassword()
    const tell = printInstallation(streams, 'reset-password')
    await onInstallation({ tell }, (config) => reset(config, email, password, values.activate ?? false))
    await write(streams.stdout, `${password}\n`)
  })
}

async function reset(
  { DATABASE_URL }: InstallationConfig,
  email: string,
  password: string,
  activate: boolean,
): Promise<void> {
  const db = await connect(DATABASE_URL, { poolSize: 1 })
  try {
    await resetPassword(db, email, password, activate)
  } finally {
    await db.destroy()
  }
}
