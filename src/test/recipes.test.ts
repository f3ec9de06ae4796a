import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'

/** A step of a recipe: a new file, or lines that follow a line of a file that is there. */
interface Step {
  path: string
  after?: string
  text: string
}

interface Recipe {
  name: string
  steps: Step[]
}

const MAX_EDITED_LINES = 3

/** Lines of these files are words: a recipe may add as many as it has words. */
const WORDS = /\/(words|messages)[\w-]*\.ts$/

/** Parses docs/recipes.md: headings name recipes; "Create `path`:" and "After `line` in `path`:" introduce code blocks. */
function parseRecipes(text: string): Recipe[] {
  const parts = text.split(/^## /m).slice(1)
  return parts.map((part) => {
    const blocks = part.matchAll(/^\d+\. (?:Create|After `(.+?)` in) `([^`]+)`[^\n]*:\n+ *```\w+\n([\s\S]*?)\n *```/gm)
    const steps = [...blocks].map(([, after, path, code]) => ({
      path: path!,
      text: `${code!.replace(/^ {3}/gm, '')}\n`,
      ...(after && { after }),
    }))
    return { name: part.split('\n', 1)[0]!, steps }
  })
}

/** Carries out a step in `folder`. Throws if the line that it follows is not there, or not unique. */
function apply(folder: string, { path, after, text }: Step): void {
  const file = join(folder, path)
  if (after === undefined) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { flag: 'wx' })
    return
  }
  const lines = readFileSync(file, 'utf8').split('\n')
  const found = lines.flatMap((line, n) => (line.trim() === after.trim() ? [n] : []))
  expect(found, `lines "${after}" of ${path}`).to.have.length(1)
  lines.splice(found[0]! + 1, 0, text.trimEnd())
  writeFileSync(file, lines.join('\n'))
}

describe('recipes', () => {
  const recipes = parseRecipes(readFileSync('docs/recipes.md', 'utf8'))
  const folder = mkdtempSync(join(tmpdir(), 'svc-recipes-'))
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('the document has every recipe', () => {
    expect(recipes.map(({ name }) => name)).to.include.members([
      'Add a filter',
      'Add a rule kind',
      'Add a report',
      'Add a page',
      'Add a queue',
      'Add a configuration variable',
      'Add an engine',
    ])
  })

  for (const { name, steps } of recipes) {
    it(`${name}: at most ${MAX_EDITED_LINES} lines of existing files change`, () => {
      expect(
        steps.some(({ path }) => path.endsWith('.test.ts')),
        'it has a test',
      ).to.equal(true)
      const edits = steps.filter(({ path, after }) => after !== undefined && !WORDS.test(path))
      const lines = edits.flatMap(({ text }) => text.trimEnd().split('\n'))
      expect(lines.length, lines.join('\n')).to.be.at.most(MAX_EDITED_LINES)
    })
  }

  it('all of them together give a product that builds, and their tests pass', () => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
      .trim()
      .split('\n')
    for (const file of files) cpSync(file, join(folder, file))
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const steps = recipes.flatMap((recipe) => recipe.steps)
    for (const step of steps) apply(folder, step)
    run('npx', ['tsc', '--noEmit'])
    run(process.execPath, ['build.mjs', '--tests'])
    const bundle = join(folder, 'dist', 'svc.js')
    const tests = steps.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'))
    for (const test of tests) {
      const built = join('dist', test.replace(/^src/, 'test').replace(/\.ts$/, '.mjs'))
      run('npx', ['mocha', '--timeout', '120000', built], { SVC_TEST_BUNDLE: bundle })
    }
  })

  function run(program: string, args: string[], env: Record<string, string> = {}): void {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    expect(status, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).to.equal(0)
  }
})
