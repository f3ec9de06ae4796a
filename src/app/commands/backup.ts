import { backUp } from '../backup/backup.ts'
import { onInstallation } from '../backup/installation.ts'
import { defineTool, onlyArgument } from './command.ts'

const usage = `Usage: backup FOLDER

Writes calls, sound, people, keys and everything else of this installation into a new folder, while it runs: the tables
of one moment, and the sound of exactly the calls in them. Secrets of the environment are not in it. It needs the same
environment as the service: DATABASE_URL, if set there, and the variables of the storage.
`

export const run = defineTool({
  name: 'backup',
  usage,
  options: {},
  async work({ positionals, print, note }) {
    const folder = onlyArgument(positionals, 'folder')
    const made = await onInstallation({ tell: note }, (config) => backUp(config, folder, (text) => print(`${text}\n`)))
    const { audioFiles, audioBytes, missingAudio, tables } = made
    await print(`${tables.length} tables and ${audioFiles} audio files (${audioBytes} bytes): ${folder}\n`)
    const lost = missingAudio.length
    if (lost > 0) note(`${lost} recordings had lost their audio before: missingAudio in backup.json`)
  },
})
