import type { Config } from '../../platform/config/config.ts'
import type { LanguageCode } from '../../platform/lib/messages.ts'
import type { NotificationKind } from '../notifications/values.ts'
import { emailMessages } from './messages.ts'
import type { OutgoingEmail } from './smtp.ts'

/** The unread notifications of an e-mail by kind. */
export type KindCounts = { kind: NotificationKind; count: number }[]

interface EmailContent {
  id: string
  address: string
  language: LanguageCode
  counts: KindCounts
}

/**
 * Composes an e-mail with counts and links. It has no data of calls or people, because e-mails leave the server.
 * The id in the header is the same in each attempt, so that mail servers can recognize a duplicate.
 */
export function composeEmail(config: Config, { id, address, language, counts }: EmailContent): OutgoingEmail {
  const panel = config.PUBLIC_BASE_URL!.replace(/\/$/, '')
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const subject = emailMessages.subject({ count: total }).format(language)
  const lines = counts.map(({ kind, count }) => emailMessages[kind]({ count }).format(language))
  const links = [
    { text: emailMessages.open().format(language), url: `${panel}/notifications` },
    { text: emailMessages.settings().format(language), url: `${panel}/notifications/settings` },
  ]
  return {
    from: config.SMTP_FROM!,
    to: address,
    messageId: `<${id}@${new URL(panel).hostname}>`,
    subject,
    text: [...lines, '', ...links.map(({ text, url }) => `${text}: ${url}`), ''].join('\n'),
    html: [
      `<!doctype html><html lang="${language}"><meta charset="utf-8"><title>${subject}</title>`,
      `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`,
      ...links.map(({ text, url }) => `<p><a href="${escapeAttribute(url)}">${text}</a></p>`),
      '</html>',
    ].join('\n'),
  }
}

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
