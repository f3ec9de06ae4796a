import { createLogger } from '../../platform/lib/log.ts'
import { INSTALLATION_KINDS, runWithInstallationConfig, type InstallationKind } from '../backup/installation.ts'
import { restoreBackup } from '../backup/restore.ts'
import { defineCommandTool, CommandUsageError, parseSingleArgument } from './command.ts'

const usage = `Usage: restore FOLDER [--installation start|stack]

Loads a backup into an empty database and an empty storage, and migrates it to the schema of this version. No service
can use them meanwhile. Checks all files of the backup before it writes anything.

  --installation start|stack   the installation to fill: npm start in this folder, or the stack. Required if DATABASE_URL is
                               set and npm start has not run here yet
`

export const run = defineCommandTool({
  name: 'restore',
  usage,
  options: { installation: { type: 'string' } },
  async work({ values, positionals, print, note }) {
    const folder = parseSingleArgument(positionals, 'folder')
    const named = parseInstallation(values.installation)
    const manifest = await runWithInstallationConfig({ printStatus: note, named, fills: true }, (config) =>
      restoreBackup(config, folder, createLogger('warn', 'migrate'), (text) => print(`${text}\n`)),
    )
    await print(`restored the backup of ${manifest.createdAt} (version ${manifest.version})\n`)
  },
})

function parseInstallation(name: string | undefined): InstallationKind | undefined {
  const installation = INSTALLATION_KINDS.find((one) => one === name)
  if (name !== undefined && !installation)
    throw new CommandUsageError(`--installation must be ${INSTALLATION_KINDS.join(' or ')}`)
  return installation
}
