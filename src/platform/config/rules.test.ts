import { expect } from 'chai'
import { collectConfigViolationsWithRequiredEnv } from '../../test/required-env.ts'

describe('rules across configuration variables', () => {
  const s3 = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'i', S3_SECRET_ACCESS_KEY: 's' }
  const s3In = { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'in/' }
  const localIn = { INGESTION_SOURCE: 'local-inbox' }
  const llm = { ANALYSIS_PROVIDER: 'llm-compatible', ANALYSIS_BASE_URL: 'http://m', ANALYSIS_MODEL: 'm' }
  const cases: [string, Record<string, string>, string[]][] = [
    ['TRANSCRIPTION_CONCURRENCY can equal ASR_MAX_CONCURRENCY', { TRANSCRIPTION_CONCURRENCY: '2' }, []],
    [
      'TRANSCRIPTION_CONCURRENCY cannot exceed the default of ASR_MAX_CONCURRENCY',
      { TRANSCRIPTION_CONCURRENCY: '3' },
      ['TRANSCRIPTION_CONCURRENCY'],
    ],
    [
      'TRANSCRIPTION_CONCURRENCY cannot exceed a smaller ASR_MAX_CONCURRENCY',
      { ASR_MAX_CONCURRENCY: '1', TRANSCRIPTION_CONCURRENCY: '2' },
      ['TRANSCRIPTION_CONCURRENCY'],
    ],
    ['the default of TRANSCRIPTION_CONCURRENCY follows ASR_MAX_CONCURRENCY', { ASR_MAX_CONCURRENCY: '1' }, []],
    ['BOOTSTRAP_ADMIN_EMAIL is valid without a password', { BOOTSTRAP_ADMIN_EMAIL: 'o@x.com' }, []],
    ['BOOTSTRAP_ADMIN_PASSWORD is valid without an e-mail', { BOOTSTRAP_ADMIN_PASSWORD: '8 digits' }, []],
    [
      'the input price requires the output price',
      { ANALYSIS_PRICE_INPUT_PER_MILLION: '1' },
      ['ANALYSIS_PRICE_OUTPUT_PER_MILLION'],
    ],
    [
      'the output price requires the input price',
      { ANALYSIS_PRICE_OUTPUT_PER_MILLION: '0' },
      ['ANALYSIS_PRICE_INPUT_PER_MILLION'],
    ],
    ['PUBLIC_BASE_URL is valid without a mail server', { PUBLIC_BASE_URL: 'https://calls.example.com' }, []],
    [
      'a mail server requires a sender and PUBLIC_BASE_URL',
      { SMTP_URL: 'smtp://mail' },
      ['SMTP_FROM', 'PUBLIC_BASE_URL'],
    ],
    [
      'a sender requires a mail server and PUBLIC_BASE_URL',
      { SMTP_FROM: 'calls@example.com' },
      ['SMTP_URL', 'PUBLIC_BASE_URL'],
    ],
    ['STORAGE_KIND=s3 requires bucket and keys', { STORAGE_KIND: 's3' }, Object.keys(s3)],
    ['STORAGE_KIND=s3 is valid with bucket and keys', { STORAGE_KIND: 's3', ...s3 }, []],
    ['S3 ingestion requires a prefix', { INGESTION_SOURCE: 's3', ...s3 }, ['S3_INGEST_PREFIX']],
    ['S3 ingestion can have its own prefix', { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'in/' }, []],
    [
      'S3 ingestion cannot be below the upload prefix',
      { INGESTION_SOURCE: 's3', ...s3, S3_INGEST_PREFIX: 'uploads/in/' },
      ['S3_INGEST_PREFIX'],
    ],
    ['S3 ingestion cannot be above the upload prefix', { ...s3In, S3_UPLOAD_PREFIX: 'in/up' }, ['S3_INGEST_PREFIX']],
    [
      'S3 ingestion cannot use the upload prefix, with or without a slash',
      { ...s3In, S3_UPLOAD_PREFIX: 'in' },
      ['S3_INGEST_PREFIX'],
    ],
    [
      'S3 ingestion can use a prefix that begins like the upload prefix',
      { ...s3In, S3_UPLOAD_PREFIX: 'in-uploads' },
      [],
    ],
    [
      'S3 storage rejects an overlapping ingestion prefix even without ingestion',
      { STORAGE_KIND: 's3', ...s3, S3_INGEST_PREFIX: 'uploads' },
      ['S3_INGEST_PREFIX'],
    ],
    [
      'S3 storage accepts a separate ingestion prefix without ingestion',
      { STORAGE_KIND: 's3', ...s3, S3_INGEST_PREFIX: 'in' },
      [],
    ],
    ['local storage ignores S3 prefixes', { S3_INGEST_PREFIX: 'uploads' }, []],
    ['S3 storage and S3 ingestion can be combined', { STORAGE_KIND: 's3', ...s3In }, []],
    [
      'S3 ingestion cannot use the whole bucket of the storage',
      { STORAGE_KIND: 's3', ...s3In, S3_INGEST_PREFIX: '' },
      ['S3_INGEST_PREFIX'],
    ],
    ['a local inbox is valid by default', { INGESTION_SOURCE: 'local-inbox' }, []],
    [
      'a local inbox can be combined with S3 storage',
      { INGESTION_SOURCE: 'local-inbox', STORAGE_KIND: 's3', ...s3 },
      [],
    ],
    [
      'a local inbox cannot be below uploads',
      { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads/in' },
      ['INGESTION_LOCAL_PREFIX'],
    ],
    ['a local inbox cannot be uploads', { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads/' }, ['INGESTION_LOCAL_PREFIX']],
    [
      'a local inbox can have a name that begins like uploads',
      { ...localIn, INGESTION_LOCAL_PREFIX: 'uploads-in' },
      [],
    ],
    ['a model requires ANALYSIS_ALLOW_EXTERNAL_EGRESS', llm, ['ANALYSIS_ALLOW_EXTERNAL_EGRESS']],
    ['a model is valid with ANALYSIS_ALLOW_EXTERNAL_EGRESS', { ...llm, ANALYSIS_ALLOW_EXTERNAL_EGRESS: 'true' }, []],
    [
      'a model requires its address and name',
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
