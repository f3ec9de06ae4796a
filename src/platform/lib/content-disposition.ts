import { isUtf8 } from 'node:buffer'

/**
 * Parses the file name of a Content-Disposition header (RFC 6266). `filename*` (RFC 8187) takes precedence over `filename`.
 * @param header as returned by Node, one character per byte
 * @returns undefined without a valid file name
 */
export function parseDispositionFileName(header: string): string | undefined {
  const parameters = parseHeaderParameters(header)
  const extended = parameters.get('filename*')
  return (
    (extended !== undefined && decodeExtendedParameter(extended)) ||
    decodeHeaderParameter(parameters.get('filename')) ||
    undefined
  )
}

/** Parses the parameters of a header such as Content-Disposition or Content-Type. @returns values by lower-case name */
export function parseHeaderParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name, quoted, token] of header.matchAll(PARAMETER_PATTERN)) {
    const key = name!.toLowerCase()
    // Use the first of repeated parameters. Unescape only \\ and \", because clients that send Windows paths do not escape the
    // other backslashes.
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? token!)
  }
  return parameters
}

const PARAMETER_PATTERN = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g

/**
 * Decodes charset'language'percent-encoded text (RFC 8187); returns undefined for another format, an unknown charset or invalid
 * bytes.
 */
function decodeExtendedParameter(value: string): string | undefined {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*)$/.exec(value) ?? []
  if (encoded === undefined) return undefined
  if (/%(?![0-9a-f]{2})/i.test(encoded)) return undefined
  const bytes = encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined // the bytes are invalid in this charset, or the charset is unknown
  }
}

/** Converts `filename*` in the headers of a multipart part to UTF-8. Keeps a `filename*` that it cannot decode. */
export function convertPartFileNameToUtf8(header: string): string {
  return header.replace(HEADER_PATTERN, (disposition) =>
    disposition.replace(PARAMETER_PATTERN, (parameter, name: string, _quoted: unknown, token?: string) => {
      const decoded = name.toLowerCase() === 'filename*' && token !== undefined && decodeExtendedParameter(token)
      return decoded ? `; ${name}=${encodeExtendedHeaderParameter(decoded)}` : parameter
    }),
  )
}

/** Matches a Content-Disposition header with its folded lines. */
const HEADER_PATTERN = /^content-disposition:.*(?:\r\n[ \t].*)*/im

/** Encodes text for an extended parameter such as `filename*` (RFC 8187). */
export const encodeExtendedHeaderParameter = (text: string): string =>
  `UTF-8''${encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`

/** Decodes a header parameter as UTF-8, which many clients send against the RFC. Returns other bytes unchanged. */
export function decodeHeaderParameter(value: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (value === undefined || !/^[\u0000-\u00ff]*$/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
