import { createBackup } from '../backup/backup.ts'
import { runWithInstallationConfig } from '../backup/installation.ts'
import { defineCommandTool, parseSingleArgument } from './command.ts'

const usage = `Usage: backup FOLDER

Writes calls, sound, people, keys and everything else of this installation into a new folder, while it runs: the tables
of one moment, and the sound of exactly the calls in them. Secrets of the environment are not in it. It needs the same
environment as the service: DATABASE_URL, if set there, and the variables of the storage.
`

export const run = defineCommandTool({
  name: 'backup',
  usage,
  options: {},
  async work({ positionals, print, note }) {
    const folder = parseSingleArgument(positionals, 'folder')
    const manifest = await runWithInstallationConfig({ printStatus: note }, (config) =>
      createBackup(config, folder, (text) => print(`${text}\n`)),
    )
    const { audioFiles, audioBytes, missingAudio, tables } = manifest
    await print(`${tables.length} tables and ${audioFiles} audio files (${audioBytes} bytes): ${folder}\n`)
    const missingCount = missingAudio.length
    if (missingCount > 0) note(`${missingCount} recordings had lost their audio before: missingAudio in backup.json`)
  },
})
