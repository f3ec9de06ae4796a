import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'

const makeSentence = (count: number): string => `${'word '.repeat(count - 1)}end.`

describe('scripts/check-prose.mjs', () => {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'svc-prose-'))))
  after(() => rmSync(folder, { recursive: true }))

  /**
   * Runs scripts/check-prose.mjs on a file with this text.
   * @returns the exit code and the output lines without the path
   */
  function checkText(name: string, text: string, ...options: string[]) {
    const file = join(folder, name)
    writeFileSync(file, text)
    const { status, stdout } = spawnSync(process.execPath, ['scripts/check-prose.mjs', ...options, file])
    return { status, output: String(stdout).replaceAll(file, '').trim() }
  }

  it('a sentence over 30 words is an error, and one over 25 is a warning', () => {
    const short = 'One two three. '.repeat(20)
    const { status, output } = checkText(
      'long.md',
      `# Title\n\n${short}\n\n${makeSentence(31)}\n${makeSentence(26)} ${makeSentence(25)}\n`,
    )
    expect(status).to.equal(1)
    expect(output.split('\n').map((line) => line.slice(0, 24))).to.deep.equal([
      ':5: error: 31 words: wor',
      ':5: warning: 26 words: w',
    ])
  })

  it('wording against the style guide is a warning', () => {
    const { status, output } = checkText('pattern.md', 'What is old is deleted. Is this so? The portal tells of it.\n')
    expect(status).to.equal(0)
    expect(output).to.equal(
      ':1: warning: the subject is a question word: What is old is deleted.\n:1: warning: vague verb: The portal tells of it.',
    )
  })

  it('the prose check ignores code, tables, headings and targets of links', () => {
    const long = makeSentence(40)
    const text = `# ${long}\n\n| ${long} |\n\n\`\`\`sh\n${long}\n\`\`\`\n\nRun \`${long}\` or [read](${long}).\n`
    expect(checkText('code.md', text)).to.deep.equal({ status: 0, output: '' })
  })

  it('the prose check reads comments and descriptions, but no other literals', () => {
    const source = [
      `// ${makeSentence(31)}`,
      `const url = 'https://example.com/' // ${makeSentence(31).replace('word', 'Word')}`,
      `const text = '${makeSentence(31)}'`,
      `export const one = { description: '${makeSentence(20)} ' + '${makeSentence(31)}' }`,
      `/** A sentence.`,
      ` * ${makeSentence(31)} */`,
      ` const two = 2`,
    ]
    const { output } = checkText('source.ts', source.join('\n'))
    const lines = output.split('\n').filter((line) => line.includes('31 words'))
    expect(lines.map((line) => line.slice(0, 10))).to.have.members([
      ':1: error:',
      ':2: error:',
      ':4: error:',
      ':5: error:',
    ])
  })

  it('a mean over 16 words per sentence is an error', () => {
    const { status, output } = checkText('mean.md', `${makeSentence(17)} ${makeSentence(17)}\n`, '--report')
    expect(status).to.equal(1)
    expect(output).to.match(/^documents: error: 17.0 words per sentence, at most 16/)
    expect(output).to.match(/documents .*17.0.* 2 .* 34 /)
  })
})
