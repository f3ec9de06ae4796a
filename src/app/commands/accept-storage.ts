import { parseConfig } from '../../platform/config/config.ts'
import { createProcessLogger } from '../../platform/lib/log.ts'
import { openAudioStorage } from '../../platform/storage/open.ts'
import { StorageOwnership } from '../../platform/storage/ownership.ts'
import { runWithInstallationConfig, withInstallationDatabase, type InstallationConfig } from '../backup/installation.ts'
import type { CommandRunner } from './command.ts'

/**
 * Writes the mark of the database to the storage, even if the storage belonged to another database.
 * @returns the exit code
 */
export const run: CommandRunner = async (overrides) => {
  const log = createProcessLogger('info', 'accept-storage')
  const accept = (config: InstallationConfig) =>
    withInstallationDatabase(config, async (db) => {
      await new StorageOwnership(db, await openAudioStorage(config), log).accept()
      log.info({ kind: config.STORAGE_KIND }, 'the audio storage now belongs to this database')
    })
  const { DATABASE_URL } = overrides
  try {
    // A parent process passes DATABASE_URL in the overrides.
    if (DATABASE_URL) await accept({ ...parseConfig('migrate', process.env, overrides), DATABASE_URL })
    else await runWithInstallationConfig({ printStatus: (text) => log.info(text) }, accept)
    return 0
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the mark of the audio storage could not be written')
    return 1
  }
}
