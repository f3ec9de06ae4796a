import { createLogger } from '../../platform/lib/log.ts'
import { INSTALLATIONS, runOnInstallation, type Installation } from '../backup/installation.ts'
import { restoreBackup } from '../backup/restore.ts'
import { defineTool, UsageError, parseSingleArgument } from './command.ts'

const usage = `Usage: restore FOLDER [--installation start|stack]

Brings a backup back into an empty database and storage, and the schema to this version. Nothing else may run on them.
Everything is checked before anything is written; a place that is not empty is refused.

  --installation start|stack   the installation to fill: npm start in this folder, or the stack. Required if DATABASE_URL is
                               set and npm start has not run here yet
`

export const run = defineTool({
  name: 'restore',
  usage,
  options: { installation: { type: 'string' } },
  async work({ values, positionals, print, note }) {
    const folder = parseSingleArgument(positionals, 'folder')
    const named = parseInstallation(values.installation)
    const manifest = await runOnInstallation({ tell: note, named, fills: true }, (config) =>
      restoreBackup(config, folder, createLogger('warn', 'migrate'), (text) => print(`${text}\n`)),
    )
    await print(`restored the backup of ${manifest.createdAt} (version ${manifest.version})\n`)
  },
})

function parseInstallation(name: string | undefined): Installation | undefined {
  const installation = INSTALLATIONS.find((one) => one === name)
  if (name !== undefined && !installation) throw new UsageError(`--installation must be ${INSTALLATIONS.join(' or ')}`)
  return installation
}
