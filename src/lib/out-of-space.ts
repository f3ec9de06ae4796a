/** Whether an error of the file system says that the disk, or somebody's share of it, is full. */
export const isOutOfSpace = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT)$/.test((error as { code?: string } | undefined)?.code ?? '')
