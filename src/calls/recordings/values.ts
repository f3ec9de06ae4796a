export const RECORDING_STATUSES = ['QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED'] as const
export type RecordingStatus = (typeof RECORDING_STATUSES)[number]

export const CALL_SOURCES = ['upload', 'url', 'storage', 'inbox', 'crm'] as const
export type CallSource = (typeof CALL_SOURCES)[number]

export const CALL_DIRECTIONS = ['INBOUND', 'OUTBOUND'] as const
export type CallDirection = (typeof CALL_DIRECTIONS)[number]

export const DECODER_NAMES = ['greedy', 'beam_search'] as const
export type DecoderName = (typeof DECODER_NAMES)[number]

/** Below this confidence, the agent of a call and the speaker of a segment count as uncertain. */
export const MIN_SPEAKER_CONFIDENCE = 0.8
