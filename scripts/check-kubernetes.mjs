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

const SCHEMA_PACKAGE = 'kubernetes-models@5.1.0'
const MANIFEST_FOLDER = 'deploy/kubernetes'

const schemaFolder = mkdtempSync(join(tmpdir(), 'svc-kubernetes-'))
try {
  writeFileSync(join(schemaFolder, 'package.json'), '{"private": true}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', SCHEMA_PACKAGE], {
    cwd: schemaFolder,
    stdio: 'inherit',
  })
  const texts = [
    execFileSync('kubectl', ['kustomize', MANIFEST_FOLDER], { encoding: 'utf8' }),
    ...['autoscale.yaml', 'backup.yaml', 'ingress.yaml'].map((name) =>
      readFileSync(join(MANIFEST_FOLDER, name), 'utf8'),
    ),
  ]
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()))
  let invalid = 0
  for (const object of objects) invalid += (await isValid(object)) ? 0 : 1
  console.log(`${objects.length} objects, ${invalid} invalid`)
  process.exitCode = invalid === 0 ? 0 : 1
} finally {
  rmSync(schemaFolder, { recursive: true, force: true })
}

async function isValid({ apiVersion, kind, metadata, ...spec }) {
  const file = join(schemaFolder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`)
  const { [kind]: Model } = await import(pathToFileURL(file).href)
  try {
    new Model({ metadata, ...spec }).validate()
    return true
  } catch (error) {
    console.error(`${kind} ${metadata.name}: ${error.message}`)
    return false
  }
}
