import { expect } from 'chai'
import { collectConfigViolationsWithRequiredEnv } from '../../test/required-env.ts'

describe('rules between variables', () => {
  const s3 = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' }
  const s3In = { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'in/' }
  const localIn = { INGESTION_SOURCE: 'local-inbox' }
  const llm = { ANALYSIS_PROVIDER: 'llm-compatible', ANALYSIS_BASE_URL: 'http://m', ANALYSIS_MODEL: 'm' }
  const cases: [string, Record<string, string>, string[]][] = [
    ['TRANSCRIPTION_CONCURRENCY up to ASR_MAX_CONCURRENCY', { TRANSCRIPTION_CONCURRENCY: '2' }, []],
    ['not above it', { TRANSCRIPTION_CONCURRENCY: '3' }, ['TRANSCRIPTION_CONCURRENCY']],
    [
      'nor above a smaller one',
      { ASR_MAX_CONCURRENCY: '1', TRANSCRIPTION_CONCURRENCY: '2' },
      ['TRANSCRIPTION_CONCURRENCY'],
    ],
    ['a default that follows ASR_MAX_CONCURRENCY', { ASR_MAX_CONCURRENCY: '1' }, []],
    ['an owner whose password was removed after the first login', { BOOTSTRAP_ADMIN_EMAIL: 'o@x.com' }, []],
    ['a password without an owner', { BOOTSTRAP_ADMIN_PASSWORD: '8 digits' }, []],
    ['one price', { ANALYSIS_PRICE_INPUT_PER_MILLION: '1' }, ['ANALYSIS_PRICE_OUTPUT_PER_MILLION']],
    ['the other price', { ANALYSIS_PRICE_OUTPUT_PER_MILLION: '0' }, ['ANALYSIS_PRICE_INPUT_PER_MILLION']],
    ['s3 without its access', { STORAGE_KIND: 's3' }, Object.keys(s3)],
    ['s3 with it', { STORAGE_KIND: 's3', ...s3 }, []],
    ['s3 ingestion without a prefix: it would overlap', { INGESTION_SOURCE: 's3', ...s3 }, ['S3_INGEST_PREFIX']],
    ['s3 ingestion apart', { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'in/' }, []],
    ['s3 ingestion below', { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'uploads/in/' }, ['S3_INGEST_PREFIX']],
    ['s3 ingestion above', { ...s3In, S3_UPLOAD_PREFIX: 'in/up' }, ['S3_INGEST_PREFIX']],
    [
      's3 ingestion and uploads in one folder, spelled apart',
      { ...s3In, S3_UPLOAD_PREFIX: 'in' },
      ['S3_INGEST_PREFIX'],
    ],
    ['s3 ingestion beside uploads whose name begins alike', { ...s3In, S3_UPLOAD_PREFIX: 'in-uploads' }, []],
    [
      's3 storage alone, with an ingestion prefix that would overlap',
      { STORAGE_KIND: 's3', ...s3, S3_INGEST_PREFIX: 'uploads' },
      ['S3_INGEST_PREFIX'],
    ],
    ['s3 storage alone, with an ingestion prefix apart', { STORAGE_KIND: 's3', ...s3, S3_INGEST_PREFIX: 'in' }, []],
    ['local storage, with prefixes that nothing uses', { S3_INGEST_PREFIX: 'uploads' }, []],
    ['s3 storage and ingestion', { STORAGE_KIND: 's3', ...s3In }, []],
    [
      's3 storage and ingestion of the whole bucket',
      { STORAGE_KIND: 's3', ...s3In, S3_INGEST_PREFIX: '' },
      ['S3_INGEST_PREFIX'],
    ],
    ['a local inbox', { INGESTION_SOURCE: 'local-inbox' }, []],
    ['a local inbox beside s3 storage', { INGESTION_SOURCE: 'local-inbox', STORAGE_KIND: 's3', ...s3 }, []],
    ['a local inbox in uploads', { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads/in' }, ['INGESTION_LOCAL_PREFIX']],
    ['a local inbox that is uploads', { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads/' }, ['INGESTION_LOCAL_PREFIX']],
    ['a local inbox whose name begins like uploads', { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads-in' }, []],
    ['a model with no permission', llm, ['ANALYSIS_ALLOW_EXTERNAL_EGRESS']],
    ['a model with it', { ...llm, ANALYSIS_ALLOW_EXTERNAL_EGRESS: 'true' }, []],
    [
      'a model without address and name',
      { ANALYSIS_PROVIDER: 'llm-compatible', ANALYSIS_ALLOW_EXTERNAL_EGRESS: 'true' },
      ['ANALYSIS_BASE_URL', 'ANALYSIS_MODEL'],
    ],
  ]
  for (const [what, env, expected] of cases) {
    it(what, () =>
      expect(collectConfigViolationsWithRequiredEnv(env).map((violation) => violation.split(':')[0])).to.deep.equal(
        expected,
      ),
    )
  }
})
