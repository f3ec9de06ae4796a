/** Deeper than any JSON that the service understands; what walks through a value can then do so by recursion. */
export const MAX_JSON_DEPTH = 32
/** Elements and fields together. Objects with as many different names, the slowest to parse, take 20 ms. */
export const MAX_JSON_VALUES = 40_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** JSON that exceeds one of the limits. */
export class JsonTooComplex extends SyntaxError {}

/**
 * Parses JSON from outside. Its size is limited by whoever reads it; here are limits on its depth and its number of values,
 * checked before anything is built of it.
 * @throws SyntaxError, JsonTooComplex where one of them is exceeded
 */
export function parseJson(text: string, maxValues = MAX_JSON_VALUES): unknown {
  checkShape(text, maxValues)
  return JSON.parse(text)
}

function checkShape(text: string, maxValues: number): void {
  let [depth, values] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
    else if (code === COMMA) values++
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++
      values++
    }
    if (depth > MAX_JSON_DEPTH) throw new JsonTooComplex(`deeper than ${MAX_JSON_DEPTH} levels`)
    if (values > maxValues) throw new JsonTooComplex(`more than ${maxValues} values`)
  }
}

/** The place of the quotation mark that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
