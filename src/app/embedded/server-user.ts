import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { findExecutablePath } from '../../platform/lib/find-program.ts'

/** The user that Postgres runs as, because it refuses to run as root. */
export interface DatabaseServerUser {
  uid: number
  gid: number
  /** Arguments of setpriv; empty if the server runs as the current user. */
  privileges: string[]
}

const SYSTEM_USER = 'postgres'

/**
 * Chooses the user for Postgres: the current user, unless that is root. For root, Postgres runs as the owner of existing
 * data, or else as the system user "postgres", which is created if missing.
 */
export function chooseDatabaseServerUser(dataFolder: string): DatabaseServerUser {
  const currentUser = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, privileges: [] }
  if (currentUser.uid !== 0 || process.platform === 'win32') return currentUser
  const owner = existsSync(dataFolder) ? statSync(dataFolder) : undefined
  const { uid, gid } = owner && owner.uid !== 0 ? owner : findOrCreateSystemUser()
  return { uid, gid, privileges: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] }
}

function findOrCreateSystemUser(): { uid: number; gid: number } {
  if (spawnSync('id', [SYSTEM_USER]).status !== 0) createSystemUser()
  const id = (what: string) => Number(execFileSync('id', [what, SYSTEM_USER], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function createSystemUser(): void {
  const useradd = findExecutablePath('useradd')
  const result = useradd
    ? spawnSync(useradd, ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', SYSTEM_USER])
    : undefined
  if (result?.status !== 0) {
    throw new Error(
      `Postgres does not run as root, and the system user "${SYSTEM_USER}" could not be created` +
        ` (${result?.stderr.toString().trim() || 'useradd is missing'}). Create it, or run this as an ordinary user.`,
    )
  }
}

/**
 * If the user cannot reach the folders, adds the capability to enter closed ones such as /root. Checks with access(2) also need
 * no_setuid_fixup.
 * @throws Error if the user cannot reach the folder even then
 */
export function addFolderAccessPrivileges(
  user: DatabaseServerUser,
  program: string,
  folder: string,
): DatabaseServerUser {
  if (user.privileges.length === 0) return user
  const extendedPrivileges = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    ...user.privileges,
  ]
  for (const privileges of [user.privileges, extendedPrivileges]) {
    const accessTest = ['sh', '-c', 'test -x "$1" && test -x "$2" && test -w "$2"', 'sh', program, folder]
    if (spawnSync('setpriv', [...privileges, ...accessTest]).status === 0) return { ...user, privileges }
  }
  throw new Error(
    `Postgres does not run as root, and the user with the number ${user.uid} cannot reach ${folder} and ${program}.` +
      ' Move the project to a folder that other users may pass (chmod o+x on the folders above), or run this as an ordinary user.',
  )
}
