/**
 * The file name in a Content-Disposition header (RFC 6266): filename* (RFC 8187, formerly 5987) wins over filename.
 * @param header as Node gives it: one character a byte
 * @returns undefined where there is none, or none that can be read
 */
export function fileNameOf(header: string): string | undefined {
  const parameters = new Map<string, string>()
  for (const [, name, quoted, token] of header.matchAll(PARAMETER)) {
    const key = name!.toLowerCase()
    // Of a parameter given twice the first counts.
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, '$1') ?? token!)
  }
  const extended = parameters.get('filename*')
  return (extended !== undefined && decodeExtended(extended)) || decodeBytes(parameters.get('filename')) || undefined
}

const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g

/** charset'language'percent-encoded; undefined where the text is not of that form. */
function decodeExtended(value: string): string | undefined {
  const [, charset, encoded] = /^([\w-]+)'[\w-]*'(.*)$/.exec(value) ?? []
  if (encoded === undefined) return undefined
  try {
    if (/^utf-8$/i.test(charset!)) return decodeURIComponent(encoded)
    if (!/^iso-8859-1$/i.test(charset!)) return undefined
    return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  } catch {
    return undefined
  }
}

/** Many servers put plain UTF-8 into filename, against the RFC; what is no UTF-8 stays as it is. */
function decodeBytes(value: string | undefined): string | undefined {
  // oxlint-disable-next-line no-control-regex
  if (value === undefined || !/^[\u0000-\u00ff]*$/.test(value)) return value
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}
