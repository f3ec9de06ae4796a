/**
 * npm start: sets everything up, then runs `node dist/svc.js start` in this process. So signals such as Ctrl-C reach one
 * process, and npm gets its exit code.
 */
import { join } from 'node:path'
import { SetupError, project, setUp } from './setup.mjs'
import { takeLock } from './start-lock.mjs'

const from = process.cwd()
try {
  const giveBack = await takeLock(join(project, '.svc'))
  await setUp({ build: true })
  await giveBack()
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error)
  process.exit(1)
}
process.chdir(from)
const bundle = join(project, 'dist/svc.js')
process.argv = [process.execPath, bundle, 'start']
await import(bundle)
