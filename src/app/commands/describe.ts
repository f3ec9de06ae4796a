import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { apiOperations } from '../api.ts'
import { Misuse, runTool, write, type Streams } from '../../recognizer/kenlm/command-line.ts'
import { describeApi } from '../../platform/openapi/document.ts'
import { renderPage } from '../../platform/openapi/page.ts'

const USAGE = `Usage: describe FOLDER

Writes the description of the API into a folder, for auditors: openapi.json (OpenAPI 3.1, as /docs-json serves it) and
index.html, one page with the table of every operation, its access level, rights and response codes. Nothing has to run.
`

/**
 * Writes the description into files.
 * @returns the exit code
 */
export async function run(args: string[], streams: Streams = process): Promise<number> {
  return runTool('describe', USAGE, streams, async () => {
    const options = { help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (values.help) return write(streams.stdout, USAGE)
    const [folder, ...more] = positionals
    if (!folder) throw new Misuse('the folder is missing')
    if (more.length > 0) throw new Misuse(`one folder is enough: ${more[0]}`)
    const document = describeApi(apiOperations())
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
    await writeFile(join(folder, 'index.html'), renderPage(document as OpenAPIObject))
    await write(streams.stdout, `${join(folder, 'openapi.json')}\n${join(folder, 'index.html')}\n`)
  })
}
