import type { Values } from './variables.ts'
import { asFolder } from '../lib/variables.ts'

interface CrossRule {
  /** The variable to change if the rule is broken. */
  name: keyof Values
  /** The other variables that it reads. */
  with: (keyof Values)[]
  holds: (config: Values) => boolean
  rule: string
}

const USES_S3 = (config: Values) => config.STORAGE_KIND === 's3' || config.INGESTION_SOURCE === 's3'
/** Applies even if only uploads use the bucket: a set prefix is meant for files that others put there. */
const TAKES_FROM_BUCKET = (config: Values) =>
  config.INGESTION_SOURCE === 's3' || (config.STORAGE_KIND === 's3' && config.S3_INGEST_PREFIX !== '')
const USES_MODEL = (config: Values) => config.ANALYSIS_PROVIDER === 'llm-compatible'

/** Whether one folder contains the other; an empty prefix is the whole bucket. */
function overlap(a: string, b: string): boolean {
  return asFolder(a).startsWith(asFolder(b)) || asFolder(b).startsWith(asFolder(a))
}

const pair = (a: keyof Values, b: keyof Values): CrossRule[] =>
  [
    [a, b],
    [b, a],
  ].map(([name, other]) => ({
    name: name!,
    with: [other!],
    holds: (config) => config[other!] === undefined || config[name!] !== undefined,
    rule: `is required together with ${other}`,
  }))

export const CROSS_RULES: CrossRule[] = [
  {
    name: 'TRANSCRIPTION_CONCURRENCY',
    with: ['ASR_MAX_CONCURRENCY'],
    holds: (config) => config.TRANSCRIPTION_CONCURRENCY <= config.ASR_MAX_CONCURRENCY,
    rule: 'must not be above ASR_MAX_CONCURRENCY',
  },
  ...pair('ANALYSIS_PRICE_OUTPUT_PER_MILLION', 'ANALYSIS_PRICE_INPUT_PER_MILLION'),
  ...(['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const).map((name): CrossRule => ({
    name,
    with: ['STORAGE_KIND', 'INGESTION_SOURCE'],
    holds: (config) => !USES_S3(config) || config[name] !== undefined,
    rule: 'is required with STORAGE_KIND=s3 or INGESTION_SOURCE=s3',
  })),
  {
    name: 'S3_INGEST_PREFIX',
    with: ['INGESTION_SOURCE', 'STORAGE_KIND', 'S3_UPLOAD_PREFIX'],
    holds: (config) => !TAKES_FROM_BUCKET(config) || !overlap(config.S3_UPLOAD_PREFIX, config.S3_INGEST_PREFIX),
    rule: 'must not overlap S3_UPLOAD_PREFIX',
  },
  {
    name: 'INGESTION_LOCAL_PREFIX',
    with: ['INGESTION_SOURCE'],
    holds: (config) => config.INGESTION_SOURCE !== 'local-inbox' || !overlap('uploads', config.INGESTION_LOCAL_PREFIX),
    rule: 'must not overlap uploads, where uploads are put',
  },
  ...(['ANALYSIS_BASE_URL', 'ANALYSIS_MODEL'] as const).map((name): CrossRule => ({
    name,
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !USES_MODEL(config) || config[name] !== undefined,
    rule: 'is required with ANALYSIS_PROVIDER=llm-compatible',
  })),
  {
    name: 'ANALYSIS_ALLOW_EXTERNAL_EGRESS',
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !USES_MODEL(config) || config.ANALYSIS_ALLOW_EXTERNAL_EGRESS,
    rule: 'must be true with ANALYSIS_PROVIDER=llm-compatible: call texts would leave this server',
  },
]
