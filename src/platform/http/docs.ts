import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Type from 'typebox'
import { notFoundError } from '../errors.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import type { Operation, Webhook } from './operation.ts'
import { route, type Route } from './route.ts'
import * as field from './field.ts'

const publicOperation = { tag: 'Description', access: 'public' } as const

const docsJson = {
  ...publicOperation,
  id: 'docsJson',
  method: 'get',
  path: '/docs-json',
  summary: 'This description as OpenAPI JSON',
  responses: {
    200: {
      description: 'The description.',
      json: Type.Object({}, { additionalProperties: true, description: 'An OpenAPI 3.1 document.' }),
      example: { openapi: '3.1.0' },
    },
  },
} as const satisfies Operation

const docsPage = {
  ...publicOperation,
  id: 'docs',
  method: 'get',
  path: '/docs',
  summary: 'This description as a page on which you can try requests',
  responses: {
    200: { description: 'The page.', content: ['text/html'], contentExamples: { 'text/html': '<!doctype html>…' } },
  },
} as const satisfies Operation

const docsFile = {
  ...publicOperation,
  id: 'docsFile',
  method: 'get',
  path: '/docs/{file}',
  summary: 'A file of the page /docs',
  params: { file: field.text('The name of the file.') },
  responses: {
    200: {
      description: 'The file.',
      content: ['text/css', 'text/javascript'],
      contentExamples: { 'text/css': '…', 'text/javascript': '…' },
    },
  },
} as const satisfies Operation

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Call transcription service: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const START_SCRIPT = `SwaggerUIBundle({
  url: '/docs-json', dom_id: '#docs', validatorUrl: null, deepLinking: true, persistAuthorization: false,
})
`

/** All files are local, so the page works offline and contacts no other server. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const MEDIA_TYPES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** Creates the routes of the API description and its page. The description includes these routes. */
export function createDocsRoutes(operations: Operation[], webhooks: readonly Webhook[]): Route[] {
  let document: object | undefined // built at the first request, so that the start does not wait for it
  return [
    route(docsJson, () => (document ??= buildOpenApiDocument([...operations, docsJson, docsPage, docsFile], webhooks))),

    route(docsPage, ({ ctx }) => {
      ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      ctx.type = 'text/html; charset=utf-8'
      return DOCS_PAGE
    }),

    route(docsFile, async ({ ctx }) => {
      const name = String(ctx.params.file)
      ctx.type = name === 'start.js' ? 'text/javascript; charset=utf-8' : (MEDIA_TYPES[name] ?? '')
      ctx.set('Cache-Control', 'public, max-age=3600')
      return name === 'start.js' ? START_SCRIPT : await readSwaggerFile(name)
    }),
  ]
}

async function readSwaggerFile(name: string): Promise<Buffer> {
  if (!Object.hasOwn(MEDIA_TYPES, name)) throw notFoundError()
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return readFile(join(folder, name))
}
