import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { findProgram } from '../../platform/lib/programs.ts'

export interface ServerUser {
  uid: number
  gid: number
  /** Arguments of setpriv; none for our own user. */
  privileges: string[]
}

const NAME = 'postgres'

/** The user for Postgres: not root, but the owner of existing data, or the system user "postgres". */
export function serverUser(dataFolder: string): ServerUser {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, privileges: [] }
  if (own.uid !== 0 || process.platform === 'win32') return own
  const owner = existsSync(dataFolder) ? statSync(dataFolder) : undefined
  const { uid, gid } = owner && owner.uid !== 0 ? owner : systemUser()
  return { uid, gid, privileges: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] }
}

function systemUser(): { uid: number; gid: number } {
  if (spawnSync('id', [NAME]).status !== 0) createSystemUser()
  const id = (what: string) => Number(execFileSync('id', [what, NAME], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function createSystemUser(): void {
  const useradd = findProgram('useradd')
  const made = useradd
    ? spawnSync(useradd, ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME])
    : undefined
  if (made?.status !== 0) {
    throw new Error(
      `Postgres does not run as root, and the system user "${NAME}" could not be created` +
        ` (${made?.stderr.toString().trim() || 'useradd is missing'}). Create it, or run this as an ordinary user.`,
    )
  }
}

/** Adds the privilege to pass closed folders such as /root; access(2) needs no_setuid_fixup for it. */
export function ableToReach(user: ServerUser, program: string, folder: string): ServerUser {
  if (user.privileges.length === 0) return user
  const passing = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    ...user.privileges,
  ]
  for (const privileges of [user.privileges, passing]) {
    const test = ['sh', '-c', 'test -x "$1" && test -x "$2" && test -w "$2"', 'sh', program, folder]
    if (spawnSync('setpriv', [...privileges, ...test]).status === 0) return { ...user, privileges }
  }
  throw new Error(
    `Postgres does not run as root, and the user with the number ${user.uid} cannot reach ${folder} and ${program}.` +
      ' Move the project to a folder that other users may pass (chmod o+x on the folders above), or run this as an ordinary user.',
  )
}
