import { readConfig } from '../../platform/config/config.ts'
import { createProcessLog } from '../../platform/lib/log.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { Ownership } from '../../platform/storage/ownership.ts'
import { onInstallation, withDatabase, type InstallationConfig } from '../backup/installation.ts'
import type { Run } from './command.ts'

export const run: Run = async (overrides) => {
  const log = createProcessLog('info', 'accept-storage')
  const accept = (config: InstallationConfig) =>
    withDatabase(config, async (db) => {
      await new Ownership(db, await openStorage(config), log).accept()
      log.info({ kind: config.STORAGE_KIND }, 'the audio storage carries the mark of this database now')
    })
  const { DATABASE_URL } = overrides
  try {
    // A parent process of ours gives the database itself.
    if (DATABASE_URL) await accept({ ...readConfig('migrate', process.env, overrides), DATABASE_URL })
    else await onInstallation({ tell: (text) => log.info(text) }, accept)
    return 0
  } catch (error) {
    log.error({ reason: (error as Error).message }, 'the mark could not be written')
    return 1
  }
}
