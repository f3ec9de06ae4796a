/** Limits the nesting of JSON, so that recursive code cannot overflow the stack. No valid input is deeper. */
export const MAX_JSON_DEPTH = 32
/** Limits elements and fields together. The slowest case, an object with as many different names, takes 20 ms to parse. */
export const MAX_JSON_VALUES = 40_000

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Signals JSON that exceeds the depth or the number of values. */
export class JsonTooComplexError extends SyntaxError {}

/**
 * Parses JSON after checking its depth and number of values. Callers limit the length of the text.
 * @throws SyntaxError for invalid JSON, JsonTooComplexError above a limit
 */
export function parseJson(text: string, maxValues = MAX_JSON_VALUES): unknown {
  checkComplexity(text, maxValues)
  return JSON.parse(text)
}

function checkComplexity(text: string, maxValues: number): void {
  let [depth, values] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = findStringEnd(text, at)
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
    else if (code === COMMA) values++
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth++
      values++
    }
    if (depth > MAX_JSON_DEPTH) throw new JsonTooComplexError(`deeper than ${MAX_JSON_DEPTH} levels`)
    if (values > maxValues) throw new JsonTooComplexError(`more than ${maxValues} values`)
  }
}

/** Returns the index of the closing quotation mark; the length of the text or more if it is missing. */
function findStringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}
