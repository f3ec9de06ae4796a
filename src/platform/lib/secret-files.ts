import { readFileSync } from 'node:fs'

/**
 * Secrets that container engines keep in files: where NAME_FILE names one, its content stands for NAME, whatever that is.
 * @param report is told what is wrong, never a value
 */
export function readSecretFiles(
  env: NodeJS.ProcessEnv,
  names: readonly string[],
  report: (name: string, rule: string) => void,
): NodeJS.ProcessEnv {
  const read: NodeJS.ProcessEnv = {}
  for (const name of names) {
    const path = env[`${name}_FILE`]?.trim()
    if (!path) continue
    try {
      read[name] = readFileSync(path, 'utf8')
    } catch (error) {
      report(name, `the file that ${name}_FILE names cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return read
}
