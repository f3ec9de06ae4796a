/**
 * Decides by contents whether a build is up to date. Times of files mislead after another version was unpacked over this one,
 * and a full disk leaves new but empty files.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MARK = 'built-from.json'

/** The checksum of all inputs of a build. */
export function sourcesOf(project) {
  const files = ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json']
  for (const folder of ['src', 'migrations']) {
    files.push(...filesIn(join(project, folder)).map((name) => join(folder, name)))
  }
  return checksum(project, files)
}

/** Whether the folder contains the complete build of these sources. */
export function isBuilt(folder, sources) {
  try {
    const mark = JSON.parse(readFileSync(join(folder, MARK), 'utf8'))
    return mark.sources === sources && mark.files === outputsOf(folder)
  } catch {
    return false // no build, or none that was finished
  }
}

/** Records the sources of a finished build in its folder. */
export function markBuilt(folder, sources) {
  const file = join(folder, MARK)
  writeFileSync(`${file}.new`, JSON.stringify({ sources, files: outputsOf(folder) }))
  renameSync(`${file}.new`, file)
}

const outputsOf = (folder) =>
  checksum(
    folder,
    filesIn(folder).filter((name) => !name.startsWith(MARK)),
  )

function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String)
  return names.filter((name) => statSync(join(folder, name)).isFile())
}

function checksum(folder, names) {
  const sum = createHash('sha256')
  for (const name of names.toSorted()) {
    const content = readFileSync(join(folder, name))
    sum.update(`${name}\0${content.length}\0`).update(content)
  }
  return sum.digest('hex')
}
