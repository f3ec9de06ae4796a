import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'

/** The sources with their tests; npm test runs in the project's folder. */
const sources = readdirSync('src', { recursive: true })
  .map((name) => join('src', String(name)))
  .filter((name) => name.endsWith('.ts'))
const files = sources.filter((name) => !name.endsWith('.test.ts') && !name.startsWith(join('src', 'test')))

interface Import {
  path: string
  /** Whether it is gone after the types are taken away. */
  typeOnly: boolean
}

/** What a file of ours imports from files of ours. */
function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8')
  const statements = source.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from\s+'(\.[^']*)'|import\('(\.[^']*)'\)/gm)
  return [...statements].map(([, type, path, dynamic]) => ({
    path: normalize(join(dirname(file), (path ?? dynamic)!)),
    typeOnly: Boolean(type),
  }))
}

/** Also of files in the rooms of a feature, such as src/recordings/list. */
const feature = (file: string): string | undefined => /^src\/([\w-]+)\//.exec(file)?.[1]
const isService = (file: string) => file.endsWith('/service.ts')
const within = (folder: string) => files.filter((file) => file.startsWith(`src/${folder}/`))
const below = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`src/${folder}/`))

/** What things were once called; each has the field's own word now. */
const OLD_WORDS = /Doorbell|Pump|freePlace|takeExpired|handBack|takeAlong|noteEnd|Stretch\b/

/** About 300 lines are a file that one reads; what grows beyond this is two. */
const MOST_LINES = 330

const PAGE_FILES = within('panel').filter((file) => file.endsWith('/page.ts'))

describe('structure', () => {
  it('finds the imports that it judges', () => {
    expect(files).to.include('src/recordings/service.ts')
    const imported = importsOf('src/transcription/service.ts').map(({ path }) => path)
    expect(imported).to.include.members(['src/callbacks/service.ts', 'src/db.ts'])
    expect(feature('src/recordings/list/search.ts')).to.equal('recordings')
    for (const file of files)
      for (const { path } of importsOf(file)) expect(existsSync(path), `${file}: ${path}`).to.equal(true)
  })

  it('the services of the features form an acyclic graph', () => {
    const services = files.filter(isService)
    expect(services.length).to.be.greaterThan(4)
    const next = new Map(services.map((file) => [file, servicesBehind(file)]))
    const done = new Set<string>()
    const walk = (file: string, way: string[]): void => {
      expect(way, `a circle: ${[...way, file].join(' → ')}`).not.to.include(file)
      if (done.has(file)) return
      for (const other of next.get(file) ?? []) walk(other, [...way, file])
      done.add(file)
    }
    for (const service of services) walk(service, [])
  })

  it('what keeps and removes the files of recordings lies below their service', () => {
    const climbs = ['audio-files', 'removals'].flatMap((name) =>
      importsOf(`src/recordings/${name}.ts`)
        .filter(({ path }) => path === 'src/recordings/service.ts')
        .map(() => name),
    )
    expect(climbs).to.deep.equal([])
  })

  it('the panel imports no service and no entity', () => {
    const violations = within('panel').flatMap((file) =>
      importsOf(file)
        .filter(({ path, typeOnly }) => !allowedInPanel(path, typeOnly))
        .map(({ path }) => `${file}: ${path}`),
    )
    expect(violations).to.deep.equal([])
  })

  it('the frame of the panel knows none of its features, and each of these stands in the list of pages', () => {
    const strangers = within('panel/frame').flatMap((file) =>
      importsOf(file)
        .filter(({ path, typeOnly }) => !typeOnly && below(path, 'panel') && !below(path, 'panel/frame'))
        .map(({ path }) => `${file}: ${path}`),
    )
    expect(strangers).to.deep.equal([])
    const listed = importsOf('src/panel/pages.ts').map(({ path }) => path)
    const folders = [...new Set(within('panel').map((file) => dirname(file)))].filter((folder) =>
      existsSync(join(folder, 'routes.ts')),
    )
    expect(folders.length).to.be.greaterThan(10)
    expect(listed).to.include.members(folders.map((folder) => join(folder, 'page.ts')))
  })

  it('each style sheet and script is named by the frame of the panel or by a page', () => {
    const named =
      readFileSync('src/panel/frame/assets.ts', 'utf8') + PAGE_FILES.map((file) => readFileSync(file, 'utf8')).join('')
    const present = [...readdirSync('public'), ...readdirSync('public/css')].filter((name) => /\.(css|js)$/.test(name))
    expect(present.filter((name) => !named.includes(`'${name.replace(/\.\w+$/, '')}'`))).to.deep.equal([])
  })

  it('the recognizer imports config and lib only', () => {
    const recognizer = within('asr')
    expect(recognizer.length).to.be.greaterThan(5)
    const violations = recognizer.flatMap((file) =>
      importsOf(file)
        .filter(({ path }) => path !== 'src/config.ts' && !below(path, 'asr', 'lib'))
        .map(({ path }) => `${file}: ${path}`),
    )
    expect(violations).to.deep.equal([])
  })

  it('http, storage, outbound and lib know no feature', () => {
    const features = new Set(files.filter(isService).map((file) => feature(file)!))
    const known = ['http/route.ts', 'http/access.ts', 'http/operation.ts'] // they know who calls, and note it: auth, people, audit
    const violations = ['http', 'storage', 'outbound', 'lib'].flatMap((folder) =>
      within(folder).flatMap((file) =>
        importsOf(file)
          .filter(({ path }) => features.has(feature(path) ?? ''))
          .filter(({ path }) => !(known.some((name) => file.endsWith(name)) && below(path, 'auth', 'people', 'audit')))
          .map(({ path }) => `${file}: ${path}`),
      ),
    )
    expect(violations).to.deep.equal([])
  })

  it('the queue engine knows no feature: it notes changes, and shows the call that a job is about', () => {
    const features = new Set(files.filter(isService).map((file) => feature(file)!))
    const violations = within('queue').flatMap((file) =>
      importsOf(file)
        .filter(({ path }) => features.has(feature(path) ?? '') && !below(path, 'queue', 'audit'))
        .filter(({ path }) => !/^src\/recordings\/(schema|present|forecast)\.ts$/.test(path))
        .map(({ path }) => `${file}: ${path}`),
    )
    expect(violations).to.deep.equal([])
  })

  it('nothing is called by the word that it had before, in tests neither', () => {
    const others = sources.filter((file) => file !== 'src/structure.test.ts')
    const faults = others.flatMap((file) => {
      const word = OLD_WORDS.exec(readFileSync(file, 'utf8'))?.[0]
      return word ? [`${file}: ${word}`] : []
    })
    expect(faults).to.deep.equal([])
  })

  it('no source and no test is longer than one reads', () => {
    const lengths = sources.map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
    expect(lengths.filter(({ lines }) => lines > MOST_LINES)).to.deep.equal([])
  })
})

/** The services that a service reaches through files of its own feature. */
function servicesBehind(service: string): Set<string> {
  const found = new Set<string>()
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { path, typeOnly } of importsOf(file)) {
      if (typeOnly) continue
      if (isService(path) && path !== service) found.add(path)
      else if (feature(path) === feature(service)) visit(path)
    }
  }
  visit(service)
  return found
}

/** Its own files, configuration, helpers, and of the features what describes the API. */
function allowedInPanel(path: string, typeOnly: boolean): boolean {
  if (path === 'src/config.ts' || below(path, 'panel', 'lib')) return true
  if (/\/(service|entity|worker|routes)\.ts$/.test(path)) return false
  return typeOnly || /\/(schema|values)\.ts$/.test(path)
}
