/**
 * The call check. `npm run bench:check` measures how fast the shipped rules judge; `npm run bench:check -- quality` how they
 * agree with a reader of judged calls (`quality details` also prints where they differ).
 */
import { measureQuality } from './check-quality.ts'
import { measureSpeed } from './check-speed.ts'

const [part = 'speed', ...more] = process.argv.slice(2)

if (part === 'quality') await measureQuality(more.includes('details'))
else await measureSpeed()
