import { STATUS_CODES } from 'node:http'
import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Renders the API description as one HTML page with a table of all operations, for reading and printing. The page needs no script
 * and no other file.
 */
export function renderApiReferencePage(document: OpenAPIObject): string {
  const { title, version, description = '' } = document.info
  const operations = listOperations(document)
  const sections = (document.tags ?? []).map(({ name, description: about = '' }) => {
    const rows = operations.filter(({ operation }) => operation.tags?.includes(name))
    return `<h2>${escapeHtml(name)}</h2>\n<p>${escapeHtml(about)}</p>\n${renderTable(rows, document)}`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} ${escapeHtml(version)}: operations</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)} ${escapeHtml(version)}</h1>
<p>${operations.length} operations. The complete description, with all schemas, is in openapi.json.</p>
${renderParagraphs(description)}
${sections.join('\n')}
</body>
</html>
`
}

interface OperationRow {
  method: string
  path: string
  operation: OperationObject
}

function listOperations({ paths = {} }: OpenAPIObject): OperationRow[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [{ method, path, operation: item[method] }] : [])),
  )
}

function renderTable(rows: OperationRow[], document: OpenAPIObject): string {
  const heads = ['Operation', 'Description', 'Access', 'Rights', 'Parameters', 'Responses']
  return `<table>
<thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => renderTableRow(row, document)).join('\n')}
</tbody>
</table>`
}

function renderTableRow({ method, path, operation }: OperationRow, document: OpenAPIObject): string {
  const rights = operation['x-rights'] as string[]
  const parameters = (operation.parameters ?? []) as ParameterObject[]
  const cells = [
    escapeHtml(operation.summary ?? ''),
    `<code>${escapeHtml(String(operation['x-access']))}</code>`,
    rights.map((right) => `<code>${escapeHtml(right)}</code>`).join(' ') || '–',
    parameters.map((one) => `<code>${escapeHtml(one.name)}</code>`).join(' ') || '–',
    renderResponses(operation.responses ?? {}, document),
  ]
  const name = `<code><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code>`
  return `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

function renderResponses(
  responses: Record<string, ResponseObject | ReferenceObject>,
  { components }: OpenAPIObject,
): string {
  const lines = Object.entries(responses).map(([status, response]) => {
    const shared = '$ref' in response ? components?.responses?.[response.$ref.split('/').pop()!] : response
    const { description } = shared as ResponseObject
    return `<li><b title="${escapeHtml(STATUS_CODES[Number(status)] ?? '')}">${status}</b> ${escapeHtml(description)}</li>`
  })
  return `<ul>${lines.join('')}</ul>`
}

/** Renders the Markdown of our introduction, which has only paragraphs and code spans. */
const renderParagraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((paragraph) => `<p>${escapeHtml(paragraph).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
    .join('\n')

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!)

const PAGE_STYLE = `
:root { color-scheme: light dark; --line: #8884; --quiet: #8882 }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem }
p { max-width: 50rem }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; font-weight: normal; padding: 0.4rem 0.6rem; border-bottom: 1px solid var(--line) }
thead th { font-weight: 600; position: sticky; top: 0; background: Canvas }
tbody tr:hover { background: var(--quiet) }
ul { list-style: none; margin: 0; padding: 0; font-size: 0.92em }
@media (max-width: 50rem) { thead { display: none } tr, th, td { display: block; border: 0 } tr { border-bottom: 1px solid var(--line) } }
@media print { body { margin: 0; font-size: 11px } tr { break-inside: avoid } }
`
