export const STATUSES = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED'] as const
export type Status = (typeof STATUSES)[number]

export const SOURCES = ['upload', 'url', 'storage', 'inbox', 'crm'] as const
export type Source = (typeof SOURCES)[number]

export const DIRECTIONS = ['INBOUND', 'OUTBOUND'] as const
export type Direction = (typeof DIRECTIONS)[number]

export const DECODERS = ['greedy', 'beam_search'] as const
export type Decoder = (typeof DECODERS)[number]
