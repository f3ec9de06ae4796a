/**
 * The call check. `npm run bench:check` measures its speed; `npm run bench:check -- quality` how the shipped rules agree with
 * a reader of judged calls (add `details` to see where they differ).
 */
import { measureQuality } from './check-quality.ts'

const [part = '', ...more] = process.argv.slice(2)

if (part === 'quality') await measureQuality(undefined, more.includes('details'))
