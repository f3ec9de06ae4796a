import { readText } from '../lib/read-text.ts'

/** Contains the fields of S3 responses that we read, as text. */
export interface S3Response {
  ListBucketResult?: {
    Contents: { Key: string; Size: string; LastModified: string; ETag: string }[]
    IsTruncated: string
    NextContinuationToken: string
  }
  ListMultipartUploadsResult?: { Upload: { Key: string; UploadId: string }[] }
  InitiateMultipartUploadResult?: { UploadId: string }
  CompleteMultipartUploadResult?: object
  Error?: { Code: string }
}

/** Requests this many keys per page of a list. Services that ignore it return at most 1,000. */
export const S3_KEYS_PER_PAGE = 200
const MAX_ELEMENTS = 1000
/** Exceeds any page of 200 keys, even if each key has 1,024 escaped characters. */
const MAX_RESPONSE_BYTES = 1.5 * 1024 * 1024

/** Parses an XML response of S3. @throws Error if it is too long or not XML as S3 formats it */
export async function parseS3Response(response: Response): Promise<S3Response> {
  const { body } = response
  return parseResponseXml(body ? await readText(body as AsyncIterable<Uint8Array>, MAX_RESPONSE_BYTES) : '')
}

/**
 * Extracts elements by name from flat XML, because a full XML parser blocks for 400 ms with hostile keys. @throws Error for other
 * text
 */
function parseResponseXml(xml: string): S3Response {
  // Services send no comment, CDATA or document type. A document type can define entities that expand to gigabytes.
  if (xml.includes('<!')) throw new Error('its answer has a document type, a comment or CDATA')
  const { root, prefix, content } = parseRoot(xml)
  const findAll = (name: string, within = content) => findContents(within, prefix + name)
  const findFirst = (name: string, within?: string) => decodeEntities(findAll(name, within)[0] ?? '')
  switch (root) {
    case 'ListBucketResult': {
      const Contents = findAll('Contents').map((item) => ({
        Key: findFirst('Key', item),
        Size: findFirst('Size', item),
        LastModified: findFirst('LastModified', item),
        ETag: findFirst('ETag', item),
      }))
      return {
        [root]: {
          Contents,
          IsTruncated: findFirst('IsTruncated'),
          NextContinuationToken: findFirst('NextContinuationToken'),
        },
      }
    }
    case 'ListMultipartUploadsResult': {
      const Upload = findAll('Upload').map((item) => ({
        Key: findFirst('Key', item),
        UploadId: findFirst('UploadId', item),
      }))
      return { [root]: { Upload } }
    }
    case 'InitiateMultipartUploadResult':
      return { [root]: { UploadId: findFirst('UploadId') } }
    case 'CompleteMultipartUploadResult':
      return { [root]: {} }
    case 'Error':
      return { Error: { Code: findFirst('Code') } }
    default:
      return {}
  }
}

const NOT_XML = 'its answer is no XML'

/** Parses the name of the root element, the common namespace prefix, and the content. */
function parseRoot(xml: string): { root: string; prefix: string; content: string } {
  const trimmed = xml.trim()
  // While S3 combines the parts of an upload, it sends spaces after the XML declaration to keep the connection open.
  const text = trimmed.startsWith('<?') ? trimmed.slice(trimmed.indexOf('?>') + 2).trimStart() : trimmed
  const [, prefix = '', root] = /^<([\w-]{1,50}:)?(\w{1,50})[\s/>]/.exec(text.slice(0, 200)) ?? []
  const end = text.indexOf('>')
  if (!root || end < 0) throw new Error(NOT_XML)
  const isEmpty = text[end - 1] === '/' && end === text.length - 1
  if (!isEmpty && !text.endsWith(`</${prefix}${root}>`)) throw new Error(NOT_XML)
  return { root, prefix, content: text.slice(end + 1) }
}

/** Finds the content of each element with this name. Such elements are never nested. */
function findContents(xml: string, name: string): string[] {
  const [open, close] = [`<${name}>`, `</${name}>`]
  const contents: string[] = []
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const from = at + open.length
    at = xml.indexOf(close, from)
    if (at < 0) throw new Error(NOT_XML)
    if (contents.length === MAX_ELEMENTS) throw new Error(`its answer has more than ${MAX_ELEMENTS} elements`)
    contents.push(xml.slice(from, at))
  }
  return contents
}

const NAMED_ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#x([\da-f]{1,5})|#(\d{1,6})|(amp|lt|gt|quot|apos));/g,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (name) return NAMED_ENTITIES[name]!
      return String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal))
    },
  )
