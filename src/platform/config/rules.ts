import type { ConfigVariableValues } from './variables.ts'
import { withTrailingSlash } from '../lib/environment-variables.ts'

interface CrossRule {
  /** Variable that the error names. */
  name: keyof ConfigVariableValues
  /** Other variables that the rule reads. */
  with: (keyof ConfigVariableValues)[]
  holds: (config: ConfigVariableValues) => boolean
  rule: string
}

const isS3Used = (config: ConfigVariableValues) => config.STORAGE_KIND === 's3' || config.INGESTION_SOURCE === 's3'
/** Returns true if others put files into the bucket. S3_INGEST_PREFIX implies this even if the service only stores uploads there. */
const isBucketWatched = (config: ConfigVariableValues) =>
  config.INGESTION_SOURCE === 's3' || (config.STORAGE_KIND === 's3' && config.S3_INGEST_PREFIX !== '')
const isModelUsed = (config: ConfigVariableValues) => config.ANALYSIS_PROVIDER === 'llm-compatible'

/** Returns true if one folder contains the other. An empty prefix contains the whole bucket. */
function foldersOverlap(a: string, b: string): boolean {
  return withTrailingSlash(a).startsWith(withTrailingSlash(b)) || withTrailingSlash(b).startsWith(withTrailingSlash(a))
}

const requireTogether = (a: keyof ConfigVariableValues, b: keyof ConfigVariableValues): CrossRule[] =>
  [
    [a, b],
    [b, a],
  ].map(([name, other]) => ({
    name: name!,
    with: [other!],
    holds: (config) => config[other!] === undefined || config[name!] !== undefined,
    rule: `is required together with ${other}`,
  }))

export const CONFIG_CROSS_RULES: CrossRule[] = [
  {
    name: 'TRANSCRIPTION_CONCURRENCY',
    with: ['ASR_MAX_CONCURRENCY'],
    holds: (config) => config.TRANSCRIPTION_CONCURRENCY <= config.ASR_MAX_CONCURRENCY,
    rule: 'must not be above ASR_MAX_CONCURRENCY',
  },
  ...requireTogether('ANALYSIS_PRICE_OUTPUT_PER_MILLION', 'ANALYSIS_PRICE_INPUT_PER_MILLION'),
  ...requireTogether('SMTP_URL', 'SMTP_FROM'),
  {
    name: 'PUBLIC_BASE_URL',
    with: ['SMTP_URL', 'SMTP_FROM'],
    holds: (config) => (config.SMTP_URL ?? config.SMTP_FROM) === undefined || config.PUBLIC_BASE_URL !== undefined,
    rule: 'is required with SMTP_URL',
  },
  ...(['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const).map((name): CrossRule => ({
    name,
    with: ['STORAGE_KIND', 'INGESTION_SOURCE'],
    holds: (config) => !isS3Used(config) || config[name] !== undefined,
    rule: 'is required with STORAGE_KIND=s3 or INGESTION_SOURCE=s3',
  })),
  {
    name: 'S3_INGEST_PREFIX',
    with: ['INGESTION_SOURCE', 'STORAGE_KIND', 'S3_UPLOAD_PREFIX'],
    holds: (config) => !isBucketWatched(config) || !foldersOverlap(config.S3_UPLOAD_PREFIX, config.S3_INGEST_PREFIX),
    rule: 'must not overlap S3_UPLOAD_PREFIX',
  },
  {
    name: 'INGESTION_LOCAL_PREFIX',
    with: ['INGESTION_SOURCE'],
    holds: (config) =>
      config.INGESTION_SOURCE !== 'local-inbox' || !foldersOverlap('uploads', config.INGESTION_LOCAL_PREFIX),
    rule: 'must not overlap uploads, where uploads are put',
  },
  ...(['ANALYSIS_BASE_URL', 'ANALYSIS_MODEL'] as const).map((name): CrossRule => ({
    name,
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !isModelUsed(config) || config[name] !== undefined,
    rule: 'is required with ANALYSIS_PROVIDER=llm-compatible',
  })),
  {
    name: 'ANALYSIS_ALLOW_EXTERNAL_EGRESS',
    with: ['ANALYSIS_PROVIDER'],
    holds: (config) => !isModelUsed(config) || config.ANALYSIS_ALLOW_EXTERNAL_EGRESS,
    rule: 'must be true with ANALYSIS_PROVIDER=llm-compatible: call texts would leave this server',
  },
]
