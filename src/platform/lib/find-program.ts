import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Finds an executable file in the folders of PATH. @returns the path, or undefined */
export function findExecutablePath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((path) => isExecutable(path))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
