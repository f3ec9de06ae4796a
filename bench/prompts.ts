import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Debian's packages of Asterisk's English prompts (Allison Smith, CC BY-SA 3.0): the sound, and the list of texts. */
const PACKAGES = ['asterisk-core-sounds-en-wav', 'asterisk-core-sounds-en']
const SOUNDS = 'usr/share/asterisk/sounds/en_US_f_Allison'
const TEXTS = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'
const FOLDER = join('.svc', 'bench', 'prompts')

export interface Prompts {
  /** The folder of the wav files: 8 kHz, 16 bit, mono. */
  folder: string
  /** What is said, by the name of the file without `.wav`. */
  texts: Map<string, string>
}

/** The prompts, fetched and unpacked into a folder of their own once; nothing is installed. */
export function fetchPrompts(): Prompts {
  if (!existsSync(FOLDER)) unpack()
  const lines = gunzipSync(readFileSync(join(FOLDER, TEXTS)))
    .toString('utf8')
    .split('\n')
  const texts = lines.map((line) => /^([^;:]+): *(.+)$/.exec(line)).filter((match) => match !== null)
  return { folder: join(FOLDER, SOUNDS), texts: new Map(texts.map(([, name, text]) => [name!, text!])) }
}

/** Into a neighbour first: a folder that is there is whole. */
function unpack(): void {
  mkdirSync(dirname(FOLDER), { recursive: true })
  const unfinished = mkdtempSync(`${FOLDER}-`)
  try {
    execFileSync('apt-get', ['-q', 'download', ...PACKAGES], { cwd: unfinished, stdio: ['ignore', 'ignore', 'pipe'] })
    for (const name of readdirSync(unfinished)) execFileSync('dpkg-deb', ['-x', join(unfinished, name), unfinished])
    renameSync(unfinished, FOLDER)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    throw new Error(`The prompts could not be fetched: apt-get download ${PACKAGES.join(' ')} must work here`, {
      cause: error,
    })
  }
}
