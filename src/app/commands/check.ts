import { compareDatabaseWithStorage, type StorageComparisonSummary, type StorageDifference } from '../backup/compare.ts'
import { runWithInstallationConfig } from '../backup/installation.ts'
import { defineCommandTool, CommandUsageError } from './command.ts'

const usage = `Usage: check [options]

Compares the calls of the database with the files of the audio storage while the service runs. Prints a line for each
difference, with its kind, the file and details. Changes nothing without --keep.

  no-file    a call whose audio file is missing; its transcript stays
  size       a file whose size differs from that of its call
  no-row     a file that belongs to no call; POST /v1/recordings/from-storage creates one
  copy       a playable copy of an unknown call; you can delete it
  going      a file that will be removed, because no call was created for it in time
  damaged    a file whose checksum differs from the list

  --checksums LIST   also reads the files in LIST: audio.jsonl of a backup, or a list of --write
  --write LIST       also reads every file and writes the checksums to a new file
  --keep             keeps the files that would be removed; they become no-row

Exits with 0 if nothing differs, with 1 if something differs or could not be compared.
`

export const run = defineCommandTool({
  name: 'check',
  usage,
  options: { checksums: { type: 'string' }, write: { type: 'string' }, keep: { type: 'boolean' } },
  async work({ values, positionals, print, note }) {
    if (positionals.length > 0) throw new CommandUsageError(`it takes no argument: ${positionals[0]}`)
    const summary = await runWithInstallationConfig({ printStatus: note }, (config) =>
      compareDatabaseWithStorage(config, values, (difference) => print(formatDifference(difference))),
    )
    await print(formatSummary(summary))
    return summary.differences > 0 ? 1 : 0
  },
})

const formatDifference = ({ kind, key, recordingId, details }: StorageDifference): string =>
  `${[kind.padEnd(8), key, recordingId && `call ${recordingId}`, details].filter(Boolean).join('  ')}\n`

const formatSummary = ({ recordings, files, summed, differences }: StorageComparisonSummary): string =>
  `${recordings} calls and ${files} files compared${summed > 0 ? `, ${summed} of them by checksum` : ''}: ` +
  `${differences === 0 ? 'nothing differs' : `${differences} differ`}\n`
