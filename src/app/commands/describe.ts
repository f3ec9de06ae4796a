import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenAPIObject } from 'openapi3-ts/oas31'
import { buildOpenApiDocument } from '../../platform/openapi/document.ts'
import { renderApiReferencePage } from '../../platform/openapi/api-page.ts'
import { API_WEBHOOKS, listApiOperations } from '../api.ts'
import { defineCommandTool, parseSingleArgument } from './command.ts'

const usage = `Usage: describe FOLDER

Writes the description of the API into a folder, for auditors: openapi.json (OpenAPI 3.1, as /docs-json serves it) and
index.html, one page with the table of every operation, its access level, rights and response codes. Nothing has to run.
`

export const run = defineCommandTool({
  name: 'describe',
  usage,
  options: {},
  async work({ positionals, print }) {
    const folder = parseSingleArgument(positionals, 'folder')
    const document = buildOpenApiDocument(listApiOperations(), API_WEBHOOKS)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'openapi.json'), `${JSON.stringify(document, null, 2)}\n`)
    await writeFile(join(folder, 'index.html'), renderApiReferencePage(document as OpenAPIObject))
    await print(`${join(folder, 'openapi.json')}\n${join(folder, 'index.html')}\n`)
  },
})
