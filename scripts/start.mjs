/**
 * npm start: sets everything up, then runs `node dist/svc.js start` in this process. So signals such as Ctrl-C reach one
 * process, and npm gets its exit code.
 */
import { join } from 'node:path'
import { SetupError, projectFolder, setUp } from './setup.mjs'
import { acquireStartLock } from './start-lock.mjs'

const callerFolder = process.cwd()
try {
  const releaseLock = await acquireStartLock(join(projectFolder, '.svc'))
  await setUp({ build: true })
  await releaseLock()
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exit(1)
}
process.chdir(callerFolder)
const bundle = join(projectFolder, 'dist/svc.js')
process.argv = [process.execPath, bundle, 'start']
await import(bundle)
