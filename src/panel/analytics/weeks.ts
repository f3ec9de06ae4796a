const DAY = 86_400_000

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The Monday of a time's week. */
const mondayOf = (time: number): number => time - ((new Date(time).getUTCDay() + 6) % 7) * DAY

/** The first and the last day of a week of ISO 8601 by its name; 4 January lies in the first week of every year. */
export function daysOf(week: string): [from: string, to: string] {
  const [year, number] = week.split('-W').map(Number)
  const monday = mondayOf(Date.UTC(year!, 0, 4)) + 7 * (number! - 1) * DAY
  return [dayOf(monday), dayOf(monday + 6 * DAY)]
}

/** The names of so many weeks that are over on a day, the last one first: a week is of the year of its Thursday. */
export function lastWeeks(day: string, count: number): string[] {
  const monday = mondayOf(Date.parse(`${day}T00:00:00Z`))
  return Array.from({ length: count }, (_, n) => {
    const thursday = monday + (3 - 7 * (n + 1)) * DAY
    const year = new Date(thursday).getUTCFullYear()
    const number = 1 + (mondayOf(thursday) - mondayOf(Date.UTC(year, 0, 4))) / (7 * DAY)
    return `${year}-W${String(number).padStart(2, '0')}`
  })
}
