import type { Config } from '../config/config.ts'
import { StorageWithForeign } from './foreign.ts'
import type { Storage } from './index.ts'
import { LocalStorage } from './local.ts'

/**
 * The storage that STORAGE_KIND names. Files of an ingestion from the other kind are reached through it as well: under
 * keys with the other kind as their scheme.
 */
export async function openStorage(config: Config): Promise<Storage> {
  // The S3 client is loaded only where it is used.
  const openS3 = async () => new (await import('./s3.ts')).S3Storage(config)
  if (config.STORAGE_KIND === 's3') {
    return new StorageWithForeign(await openS3(), await LocalStorage.open(config.audioDir))
  }
  const local = await LocalStorage.open(config.audioDir)
  return config.INGESTION_SOURCE === 's3' ? new StorageWithForeign(local, await openS3()) : local
}
