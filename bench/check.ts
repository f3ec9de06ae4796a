/**
 * The call check. `npm run bench:check` measures how fast the shipped rules judge, a call from queued to stored, and a
 * backtest beside lists and uploads (with `rules` or `stored` only the first or the others); `npm run bench:check -- quality` how
 * they agree with a reader of judged calls (`quality details` also prints where they differ).
 */
import { measureQuality } from './check-quality.ts'
import { measureSpeed } from './check-speed.ts'
import { measureStored } from './check-stored.ts'

const [part = '', ...more] = process.argv.slice(2)

if (part === 'quality') await measureQuality(more.includes('details'))
else {
  if (part !== 'stored') await measureSpeed()
  if (part !== 'rules') await measureStored()
}
