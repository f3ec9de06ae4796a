import { expect } from 'chai'
import { readLines, readText, TextTooLargeError } from './read-text.ts'

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const readAllLines = async (text: string, size: number, maxBytes = 100): Promise<string[]> => {
  const lines: string[] = []
  for await (const line of readLines(inPieces(text, size), maxBytes)) lines.push(line)
  return lines
}

const catchError = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('readText() and readLines()', () => {
  it('readText() reads text up to its limit for any chunk size', async () => {
    for (const size of [1, 3, 100]) expect(await readText(inPieces('ёжик ✓', size), 13)).to.equal('ёжик ✓')
    expect(await catchError(readText(inPieces('ёжик ✓', 1), 11))).to.be.instanceOf(TextTooLargeError)
  })

  it('readLines() yields complete lines for any chunk size', async () => {
    for (const size of [1, 2, 5, 100])
      expect(await readAllLines('ёж\n\n{"a":1}\nrest', size)).to.deep.equal(['ёж', '{"a":1}'])
  })

  it('readLines() throws as soon as a line exceeds its limit', async () => {
    expect(await readAllLines('a'.repeat(90) + '\n' + 'b'.repeat(80) + '\n', 10)).to.have.length(2)
    expect(await catchError(readAllLines('a\n' + 'b'.repeat(1000), 10))).to.be.instanceOf(TextTooLargeError)
  })
})
