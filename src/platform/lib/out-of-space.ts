/** Returns true if a file system error means that the disk or a quota is full. */
export const isOutOfSpaceError = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT)$/.test((error as { code?: string } | undefined)?.code ?? '')
