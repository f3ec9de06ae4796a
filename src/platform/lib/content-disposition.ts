import { isUtf8 } from 'node:buffer'

/**
 * The file name in a Content-Disposition header (RFC 6266): filename* (RFC 8187, formerly 5987) wins over filename.
 * @param header as returned by Node: one character per byte
 * @returns undefined if there is none, or if it is invalid
 */
export function parseFileName(header: string): string | undefined {
  const parameters = parseHeaderParameters(header)
  const extended = parameters.get('filename*')
  return (
    (extended !== undefined && decodeExtendedParameter(extended)) ||
    decodeParameter(parameters.get('filename')) ||
    undefined
  )
}

/** The parameters of a header such as Content-Disposition or Content-Type, by their names in lower case. */
export function parseHeaderParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name, quoted, token] of header.matchAll(PARAMETER_PATTERN)) {
    const key = name!.toLowerCase()
    // The first of repeated parameters counts. Any character can be escaped, but clients that send a Windows path do not
    // escape at all.
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? token!)
  }
  return parameters
}

const PARAMETER_PATTERN = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g

/** charset'language'percent-encoded; undefined for another format. */
function decodeExtendedParameter(value: string): string | undefined {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*)$/.exec(value) ?? []
  if (encoded === undefined) return undefined
  if (/%(?![0-9a-f]{2})/i.test(encoded)) return undefined
  const bytes = encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return undefined // no text of its charset, or a charset that nobody knows
  }
}

/** Converts `filename*` in the header of a part to UTF-8; returns the header unchanged if that fails. */
export function convertFileNameToUtf8(header: string): string {
  return header.replace(HEADER_PATTERN, (disposition) =>
    disposition.replace(PARAMETER_PATTERN, (parameter, name: string, _quoted: unknown, token?: string) => {
      const decoded = name.toLowerCase() === 'filename*' && token !== undefined && decodeExtendedParameter(token)
      return decoded ? `; ${name}=${encodeExtendedParameter(decoded)}` : parameter
    }),
  )
}

/** A header with its folded lines. */
const HEADER_PATTERN = /^content-disposition:.*(?:\r\n[ \t].*)*/im

/** Encodes a text as an extended parameter, such as filename* (RFC 8187). */
export const encodeExtendedParameter = (text: string): string =>
  `UTF-8''${encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)}`

/** The text of a parameter. Many clients send plain UTF-8, against the RFC; other bytes stay unchanged. */
export function decodeParameter(value: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (value === undefined || !/^[\u0000-\u00ff]*$/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
