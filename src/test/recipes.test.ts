import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect } from 'chai'

/** A step that creates a file, appends lines to a file, or inserts lines after a given line. */
interface Step {
  how: 'create' | 'append' | 'insert'
  path: string
  after?: string
  text: string
}

interface Recipe {
  name: string
  steps: Step[]
}

const MAX_EDITED_LINES = 3

/** These files contain texts, to which a recipe can add any number of lines. */
const WORD_FILES = /\/(words|messages)[\w-]*\.ts$/

/**
 * Parses the sections "Add …" of CONTRIBUTING.md, with steps "Create `path`:", "Add to the end of `path`:" and "After `line` in
 * `path`:".
 */
function parseRecipes(text: string): Recipe[] {
  const sections = text.split(/^## /m).filter((section) => section.startsWith('Add a'))
  return sections.map((section) => {
    const pattern =
      /^\d+\. (?:Create|(Add to the end of)|After `(.+)` in) `([^`]+)`[^\n]*:\n+ *```\w+\n([\s\S]*?)\n *```$/gm
    const steps = [...section.matchAll(pattern)].map(([, append, after, path, code]): Step => ({
      how: after ? 'insert' : append ? 'append' : 'create',
      path: path!,
      ...(after && { after }),
      text: `${code!.replace(/^ {3}/gm, '')}\n`,
    }))
    return { name: section.split('\n', 1)[0]!, steps }
  })
}

function applyStep(folder: string, { how, path, after, text }: Step): void {
  const file = join(folder, path)
  if (how === 'create') {
    mkdirSync(dirname(file), { recursive: true })
    return writeFileSync(file, text, { flag: 'wx' })
  }
  if (how === 'append') return appendFileSync(file, `\n${text}`)
  const lines = readFileSync(file, 'utf8').split('\n')
  const matchingLines = lines.flatMap((line, n) => (line.trim() === after!.trim() ? [n] : []))
  expect(matchingLines, `lines "${after}" of ${path}`).to.have.length(1)
  lines.splice(matchingLines[0]! + 1, 0, text.trimEnd())
  writeFileSync(file, lines.join('\n'))
}

describe('recipes', () => {
  const recipes = parseRecipes(readFileSync('CONTRIBUTING.md', 'utf8'))
  const folders: string[] = []
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

  it('CONTRIBUTING.md has every recipe', () => {
    expect(recipes.map(({ name }) => name)).to.include.members([
      'Add a filter',
      'Add a rule kind',
      'Add a report',
      'Add an operation',
      'Add a page',
      'Add a queue',
      'Add a configuration variable',
      'Add an engine',
    ])
  })

  for (const { name, steps } of recipes.filter(({ steps }) => steps.length > 0)) {
    it(`the recipe “${name}” changes at most ${MAX_EDITED_LINES} lines of existing files`, () => {
      const edits = steps.filter(({ how, path }) => how === 'insert' && !WORD_FILES.test(path))
      const lines = edits.flatMap(({ text }) => text.trimEnd().split('\n'))
      expect(lines.length, lines.join('\n')).to.be.at.most(MAX_EDITED_LINES)
    })
  }

  // The table of the new queue needs a migration, which the databases of other tests do not have.
  const [queue, others] = [recipes.filter(isQueue), recipes.filter((recipe) => !isQueue(recipe))]
  for (const [title, applied] of [
    ['the queue', queue],
    ['all others together', others],
  ] as const) {
    it(`after applying ${title}, the product builds and the recipes' tests pass`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'svc-recipes-'))
      folders.push(folder)
      copyProject(folder)
      const steps = applied.flatMap((recipe) => recipe.steps)
      for (const step of steps) applyStep(folder, step)
      runProgram(folder, join('node_modules', '.bin', 'tsc'), ['--noEmit'])
      runProgram(folder, process.execPath, ['build.mjs', '--tests'])
      const tests = steps
        .filter(({ how, path }) => how === 'create' && path.endsWith('.test.ts'))
        .map(({ path }) => path)
      expect(tests).to.have.length(applied.filter((recipe) => recipe.steps.length > 0).length)
      const built = tests.map((path) => join('dist', path.replace(/^src/, 'test').replace(/\.ts$/, '.mjs')))
      const env = { SVC_TEST_BUNDLE: join(folder, 'dist', 'svc.js') }
      runProgram(folder, join('node_modules', '.bin', 'mocha'), ['--timeout', '120000', ...built], env)
    })
  }
})

function isQueue({ name }: Recipe): boolean {
  return name === 'Add a queue'
}

/** Copies the files that git tracks, and links node_modules. */
function copyProject(folder: string): void {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' }).trim().split('\n')
  for (const file of files.filter((path) => existsSync(path))) cpSync(file, join(folder, file))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
}

/** @throws AssertionError if the program exits with another code than 0 */
function runProgram(folder: string, program: string, args: string[], env: Record<string, string> = {}): void {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  expect(status, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).to.equal(0)
}
