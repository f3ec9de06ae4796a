/**
 * Builds the links below a list: first, last and adjacent pages. Null marks a gap. @param href returns the address of a page
 * number
 */
export function buildPaging(page: number, pageSize: number, total: number, href: (page: number) => string) {
  const last = Math.max(1, Math.ceil(total / pageSize))
  const to = (page: number) => ({ page, href: href(page) })
  const nearPages = [1, page - 1, page, page + 1, last]
  const visiblePages = [...new Set(nearPages)].filter((page) => page >= 1 && page <= last).sort((a, b) => a - b)
  return {
    page,
    total,
    from: (page - 1) * pageSize + 1,
    to: Math.min(total, page * pageSize),
    first: to(1),
    previous: page > 1 && page <= last ? to(page - 1) : null,
    next: page < last ? to(page + 1) : null,
    pages: visiblePages.flatMap((page, index) =>
      index > 0 && page - visiblePages[index - 1]! > 1 ? [null, to(page)] : [to(page)],
    ),
  }
}

/** Parses a page number from 1 to 1,000,000. Invalid values become 1. */
export function parsePageNumber(value: unknown): number {
  const page = Number(value)
  return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1
}
