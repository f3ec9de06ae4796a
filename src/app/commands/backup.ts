import { createBackup } from '../backup/backup.ts'
import { runWithInstallationConfig } from '../backup/installation.ts'
import { defineCommandTool, parseSingleArgument } from './command.ts'

const usage = `Usage: backup FOLDER

Writes all tables and audio files of this installation into a new folder, while the service runs. The tables are of one
moment, and the audio files are those of their calls. A backup has no environment variables. Run the command with the
variables of the service: DATABASE_URL, if it is set there, and the variables of the storage.
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
