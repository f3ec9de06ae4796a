import type { MigrationInterface, QueryRunner } from 'typeorm'

const NETWORK_CODES =
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_NODATA ECONNRESET EPIPE ECONNABORTED UND_ERR_SOCKET UND_ERR_ABORTED ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN EADDRNOTAVAIL DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID'.split(
    ' ',
  )

/**
 * By which id a reason of a failure is known that stands somewhere as text, so that the panel says it in other languages.
 * What releases until now have stored is known from the start.
 */
export class FailureReasons1795347457747 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE failure_reasons (
        hash    text PRIMARY KEY,
        message text NOT NULL
      )
    `)
    const statuses = Array.from({ length: 500 }, (_, n) => String(100 + n))
    const known: [text: string, message: string][] = [
      ['The audio is not in the storage any more', 'http.noSound'],
      ['The recognizer ended without a result', 'transcription.noResult'],
      ['The recognizer failed. Try again.', 'transcription.recognizerFailed;said=x'],
      ['The recognizer lost this file. Try again.', 'transcription.recognizerFailed;said=x'],
      ['The decoder was stopped by the system. Try again.', 'transcription.recognizerFailed;said=x'],
      ['The service could not process the recording', 'transcription.broken'],
      ['The worker stopped in the middle of the transcription', 'transcription.workerDied'],
      ['the worker stopped in the middle of the delivery', 'callbacks.workerDied'],
      ['the service could not send it', 'callbacks.broken'],
      ['the recording was retried or cancelled since', 'callbacks.superseded'],
      ['no answer within 15 seconds', 'callbacks.noAnswer;seconds=15'],
      ['the name leads to a private, local or reserved address', 'link.nameLeadsInside'],
      [
        'the address must not lead to a private, local or reserved address',
        'callbacks.address;rule*=link.privateAddress',
      ],
      ['the address must not lead to a local name', 'callbacks.address;rule*=link.localName'],
      ['The worker stopped in the middle of the check', 'analysis.workerDied'],
      ['The service could not check the call', 'analysis.broken'],
      ...statuses.flatMap((status): [string, string][] => [
        [`answered ${status}`, `callbacks.answered;status=${status}`],
        [`The recognizer answered ${status}`, `transcription.answered;status=${status}`],
      ]),
      ...NETWORK_CODES.flatMap((code): [string, string][] => [
        [`no answer (${code})`, `callbacks.network;code=${code}`],
        [`The connection to the recognizer broke (${code})`, `transcription.connectionBroke;code=${code}`],
      ]),
    ]
    await runner.query(
      'INSERT INTO failure_reasons SELECT md5(text), message FROM unnest($1::text[], $2::text[]) AS known (text, message)',
      [known.map(([text]) => text), known.map(([, message]) => message)],
    )
  }

  async down(): Promise<void> {
    throw new Error('Migrations are not undone: the version before runs on this schema too.')
  }
}
