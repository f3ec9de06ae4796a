import { chmodSync, cpSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Copies the tested bundle to a new project folder, so that each test has its own .svc folder. */
export function createProjectCopy(): { project: string; bundle: string } {
  const bundleFolder = dirname(process.env['SVC_TEST_BUNDLE']!)
  const project = mkdtempSync(join(tmpdir(), 'svc-own-'))
  chmodSync(project, 0o755) // If the tests run as root, Postgres runs as another user, who needs access.
  for (const name of readdirSync(dirname(bundleFolder))) {
    if (!/^(\.|dist)/.test(name)) symlinkSync(join(dirname(bundleFolder), name), join(project, name))
  }
  const isProgram = (path: string) => path === bundleFolder || /^[^/]*\.js$/.test(path.slice(bundleFolder.length + 1))
  cpSync(bundleFolder, join(project, 'dist'), { recursive: true, filter: isProgram })
  return { project, bundle: join(project, 'dist/svc.js') }
}
