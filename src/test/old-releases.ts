import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** The commit of the release that customers run. Tests upgrade from it and roll back to it. */
const LAST_RELEASE = '7b1c933'

/** Returns whether the git history contains the last release. A shallow clone or a copy without .git does not. */
export function hasReleaseHistory(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${LAST_RELEASE}^{tree}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Resolves packages from the current installation. A package that is no longer installed becomes an empty module. */
const currentPackages: Plugin = {
  name: 'packages-of-today',
  setup(bundler) {
    bundler.onResolve({ filter: /^[@a-z][^:]*$/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
      return existsSync(join('node_modules', name)) || isBuiltin(path)
        ? { path, external: true }
        : { path, namespace: 'removed' }
    })
    bundler.onLoad({ filter: /.*/, namespace: 'removed' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/**
 * Builds the last release from the git history with the current packages.
 * @returns the path of svc.js
 */
export async function buildLastRelease(): Promise<string> {
  const folder = join(dirname(process.env.SVC_TEST_BUNDLE!), 'releases', LAST_RELEASE)
  const bundle = join(folder, 'dist', 'svc.js')
  if (existsSync(bundle)) return bundle
  const temporaryFolder = `${folder}.${process.pid}`
  const source = join(temporaryFolder, 'source')
  mkdirSync(source, { recursive: true })
  const archive = execFileSync('git', ['archive', LAST_RELEASE, 'src', 'migrations', 'package.json', 'tsconfig.json'], {
    maxBuffer: 64 * 1024 * 1024,
  })
  execFileSync('tar', ['-x', '-C', source], { input: archive })
  await build({
    entryPoints: { svc: join(source, 'src/main.ts') },
    outdir: join(temporaryFolder, 'dist'),
    plugins: [currentPackages],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    keepNames: true,
    define: { SVC_VERSION: '"0.1.0"', SVC_COMMIT: `"${LAST_RELEASE}"` },
    logLevel: 'warning',
  })
  // Another test process can build the same release, so only a complete folder gets the final name.
  if (existsSync(bundle)) rmSync(temporaryFolder, { recursive: true })
  else renameSync(temporaryFolder, folder)
  return bundle
}
