import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { describeApi } from '../../platform/openapi/document.ts'
import { renderPage } from '../../platform/openapi/page.ts'
import { apiOperations } from '../api.ts'
import { defineTool, onlyArgument } from './command.ts'

const usage = `Usage: describe FOLDER

Writes the description of the API into a folder, for auditors: openapi.json (OpenAPI 3.1, as /docs-json serves it) and
index.html, one page with the table of every operation, its access level, rights and response codes. Nothing has to run.
`

export const run = defineTool({
  name: 'describe',
  usage,
  options: {},
  async work({ positionals, print }) {
    const folder = onlyArgument(positionals, 'folder')
    const document = describeApi(apiOperations())
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
    await writeFile(join(folder, 'index.html'), renderPage(document as OpenAPIObject))
    await print(`${join(folder, 'openapi.json')}\n${join(folder, 'index.html')}\n`)
  },
})
