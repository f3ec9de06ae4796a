/**
 * Checks deploy/kubernetes without a cluster: kubectl joins the files, and every object is validated against the schema of the
 * Kubernetes API. Needs kubectl (Debian: kubernetes-client) and the registry of npm, from which it fetches the schemas.
 *
 *   node scripts/check-kubernetes.mjs
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAllDocuments } from 'yaml'

const SCHEMAS = 'kubernetes-models@5.1.0'
const FOLDER = 'deploy/kubernetes'

const folder = mkdtempSync(join(tmpdir(), 'svc-kubernetes-'))
try {
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', SCHEMAS], { cwd: folder, stdio: 'inherit' })
  const texts = [
    execFileSync('kubectl', ['kustomize', FOLDER], { encoding: 'utf8' }),
    ...['autoscale.yaml', 'backup.yaml', 'ingress.yaml'].map((name) => readFileSync(join(FOLDER, name), 'utf8')),
  ]
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
  let invalid = 0
  for (const object of objects) invalid += (await isValid(object)) ? 0 : 1
  console.log(`${objects.length} objects, ${invalid} invalid`)
  process.exitCode = invalid === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function isValid({ apiVersion, kind, metadata, ...rest }) {
  const file = join(folder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`)
  const { [kind]: Model } = await import(pathToFileURL(file).href)
  try {
    new Model({ metadata, ...rest }).validate()
    return true
  } catch (error) {
    console.error(`${kind} ${metadata.name}: ${error.message}`)
    return false
  }
}
