/**
 * Decides by contents whether a build is up to date. Times of files mislead after another version was unpacked over this one,
 * and a full disk leaves new but empty files.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MARK_FILE = 'built-from.json'

/** Computes a checksum of all inputs of a build. */
export function hashSources(project) {
  const files = ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const folder of ['src', 'migrations']) {
    files.push(...listFiles(join(project, folder)).map((name) => join(folder, name)))
  }
  return hashFiles(project, files)
}

/** Returns true if the folder contains the complete build of these sources. */
export function isBuilt(folder, sources) {
  try {
    const mark = JSON.parse(readFileSync(join(folder, MARK_FILE), 'utf8'))
    return mark.sources === sources && mark.files === hashOutputs(folder)
  } catch {
    return false // no build, or none that was finished
  }
}

/** Records the sources of a finished build in its folder. */
export function markBuilt(folder, sources) {
  const file = join(folder, MARK_FILE)
  writeFileSync(`${file}.new`, JSON.stringify({ sources, files: hashOutputs(folder) }))
  renameSync(`${file}.new`, file)
}

const hashOutputs = (folder) =>
  hashFiles(
    folder,
    listFiles(folder).filter((name) => !name.startsWith(MARK_FILE)),
  )

function listFiles(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return names.filter((name) => statSync(join(folder, name)).isFile())
}

function hashFiles(folder, names) {
  const sum = createHash('sha256')
  for (const name of names.toSorted()) {
    const content = readFileSync(join(folder, name))
    sum.update(`${name}\0${content.length}\0`).update(content)
  }
  return sum.digest('hex')
}
