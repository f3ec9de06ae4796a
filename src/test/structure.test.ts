import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'

/** A module can import only from itself and from modules after it. */
const MODULE_ORDER = ['app', 'panel', 'work', 'reports', 'crm', 'check', 'calls', 'people', 'platform']

/** Readers can understand a file of about 300 lines at once; the rest is tolerance. */
const MAX_LINES = 340

/** All sources with their tests. The path is relative, because npm test runs in the folder of the project. */
const sourceFiles = readdirSync('src', { recursive: true })
  .map((name) => join('src', String(name)))
  .filter((name) => name.endsWith('.ts'))
const productFiles = sourceFiles.filter((file) => !file.endsWith('.test.ts') && !file.startsWith('src/test/'))

interface Import {
  path: string
  isType: boolean
}

/** Parses the imports of a file from other files of the project, including type imports. */
function parseImports(file: string): Import[] {
  const statements = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'(\.[^']*)'|import\('(\.[^']*)'\)|^import '(\.[^']*)'/gm,
  )
  return [...statements].map(([, type, from, dynamic, bare]) => ({
    path: normalize(join(dirname(file), (from ?? dynamic ?? bare)!)),
    isType: Boolean(type),
  }))
}

const imports = new Map(productFiles.map((file) => [file, parseImports(file)]))

/** Returns the module of a path, such as `crm` for src/crm/deals/match.ts; undefined for files directly in src/. */
const moduleOf = (file: string): string | undefined => /^src\/([\w-]+)\//.exec(file)?.[1]

const isBelow = (path: string, ...folders: string[]): boolean => folders.some((name) => path.startsWith(`src/${name}/`))

/** Formats the imports in `folder` that `isAllowed` rejects. */
function findForbidden(folder: string, isAllowed: (imported: Import, file: string) => boolean): string[] {
  const files = productFiles.filter((file) => isBelow(file, folder))
  expect(files.length, folder).to.be.greaterThan(5)
  return files.flatMap((file) =>
    imports
      .get(file)!
      .filter((imported) => !isAllowed(imported, file))
      .map(({ path }) => `${file} imports ${path}`),
  )
}

describe('source structure', () => {
  it('every collected import resolves to an existing file', () => {
    expect(imports.get('src/calls/transcription/queue.ts')!.map(({ path }) => path)).to.include('src/platform/db/db.ts')
    for (const [file, list] of imports) {
      for (const { path } of list) expect(existsSync(path), `${file}: ${path}`).to.equal(true)
    }
  })

  it('every folder of src is a known module', () => {
    const folders = new Set(productFiles.flatMap((file) => moduleOf(file) ?? []))
    expect([...folders].filter((name) => ![...MODULE_ORDER, 'recognizer'].includes(name))).to.deep.equal([])
  })

  it('a module imports only from modules below it', () => {
    const present = MODULE_ORDER.filter((name) => productFiles.some((file) => isBelow(file, name)))
    for (const name of present) {
      const below = MODULE_ORDER.slice(MODULE_ORDER.indexOf(name))
      const forbidden = findForbidden(name, ({ path }) => {
        const other = moduleOf(path)
        return other === undefined || below.includes(other) || (name === 'app' && other === 'recognizer')
      })
      expect(forbidden).to.deep.equal([])
    }
  })

  it('the recognizer imports only config and lib of the platform', () => {
    const isAllowed = ({ path }: Import) => isBelow(path, 'recognizer', 'platform/config', 'platform/lib')
    expect(findForbidden('recognizer', isAllowed)).to.deep.equal([])
  })

  it('no import cycle exists, including type imports', () => {
    expect(findImportCycle(new Map([...imports].map(([file, list]) => [file, list.map(({ path }) => path)])))).to.equal(
      undefined,
    )
  })

  it('the cycle search finds a cycle of three files', () => {
    const graph = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a']],
      ['d', []],
    ])
    expect(findImportCycle(graph)).to.equal('a → b → c → a')
  })

  it('the panel imports no services and no entities', () => {
    const forbidden = findForbidden('panel', ({ path, isType }) => {
      if (isBelow(path, 'panel', 'platform/lib', 'platform/config')) return true
      if (/\/(service|entity|worker|routes)\.ts$/.test(path)) return false
      return isType || /\/([\w-]*schema|values|actor|messages|access|language)\.ts$/.test(path)
    })
    expect(forbidden).to.deep.equal([])
  })

  it('the frame of the panel imports no pages', () => {
    const isAllowed = ({ path }: Import) => !isBelow(path, 'panel') || isBelow(path, 'panel/frame')
    expect(findForbidden('panel/frame', isAllowed)).to.deep.equal([])
  })

  it('the list of pages contains every page of the panel', () => {
    const listed = imports.get('src/panel/pages.ts')!.map(({ path }) => path)
    const pages = productFiles.filter(
      (file) => isBelow(file, 'panel') && file.endsWith('/page.ts') && !isBelow(file, 'panel/frame'),
    )
    expect(pages.length).to.be.greaterThan(10)
    expect(listed).to.include.members(pages)
  })

  it('the frame or a page lists each style sheet and script', () => {
    const pages = productFiles.filter((file) => isBelow(file, 'panel') && /\/(page|assets)\.ts$/.test(file))
    const code = pages.map((file) => readFileSync(file, 'utf8')).join('')
    const files = [...readdirSync('public'), ...readdirSync('public/css')].filter((name) => /\.(css|js)$/.test(name))
    expect(files.filter((name) => !code.includes(`'${name.replace(/\.\w+$/, '')}'`))).to.deep.equal([])
  })

  it('each module has a README of at most 60 lines', () => {
    const modules = [...MODULE_ORDER, 'recognizer'].filter((name) => productFiles.some((file) => isBelow(file, name)))
    for (const name of modules) {
      const lines = readFileSync(`src/${name}/README.md`, 'utf8').split('\n').length - 1
      expect(lines, name).to.be.within(5, 60)
    }
  })

  it('no source or test file exceeds the maximum length', () => {
    const lengths = sourceFiles.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    expect(lengths.filter(({ lines }) => lines > MAX_LINES)).to.deep.equal([])
  })
})

/** Finds one cycle of the import graph, formatted as a path; undefined if there is none. */
function findImportCycle(graph: Map<string, string[]>): string | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' → ')
    if (done.has(file)) return undefined
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of graph.keys()) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return undefined
}
