import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Debian's packages of Asterisk's English prompts (Allison Smith, CC BY-SA 3.0): the sound, and the list of texts. */
const PACKAGES = ['asterisk-core-sounds-en-wav', 'asterisk-core-sounds-en']
const SOUNDS = 'usr/share/asterisk/sounds/en_US_f_Allison'
const TEXTS = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'
const FOLDER = join('.svc', 'bench', 'prompts')
/** Its music on hold (opsound.org, CC BY-SA 3.0). */
const MUSIC_PACKAGES = ['asterisk-moh-opsound-wav']
const MUSIC = 'usr/share/asterisk/moh'
const MUSIC_FOLDER = join('.svc', 'bench', 'music')

export interface Prompts {
  /** The folder of the wav files: 8 kHz, 16 bit, mono. */
  folder: string
  /** What is said, by the name of the file without `.wav`. */
  texts: Map<string, string>
}

/** The prompts, fetched and unpacked into a folder of their own once; nothing is installed. */
export function fetchPrompts(): Prompts {
  unpack(PACKAGES, FOLDER)
  const lines = gunzipSync(readFileSync(join(FOLDER, TEXTS)))
    .toString('utf8')
    .split('\n')
  const texts = lines.map((line) => /^([^;:]+): *(.+)$/.exec(line)).filter((match) => match !== null)
  return { folder: join(FOLDER, SOUNDS), texts: new Map(texts.map(([, name, text]) => [name!, text!])) }
}

/** The folder of music on hold, wav files of 8 kHz, fetched once. */
export function fetchMusic(): string {
  unpack(MUSIC_PACKAGES, MUSIC_FOLDER)
  return join(MUSIC_FOLDER, MUSIC)
}

/** Fetches packages, unless they are there. Into a neighbour first: a folder that is there is whole. */
function unpack(packages: string[], folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  try {
    execFileSync('apt-get', ['-q', 'download', ...packages], { cwd: unfinished, stdio: ['ignore', 'ignore', 'pipe'] })
    for (const name of readdirSync(unfinished)) execFileSync('dpkg-deb', ['-x', join(unfinished, name), unfinished])
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    throw new Error(`The sound could not be fetched: apt-get download ${packages.join(' ')} must work here`, {
      cause: error,
    })
  }
}
