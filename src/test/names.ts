import dns from 'node:dns'

/**
 * Lets a name lead to this machine for connections of this process: what /etc/hosts holds is no matter of a test.
 * @returns what ends it
 */
export function leadHere(name: string): () => void {
  const { lookup } = dns
  const ask = lookup as (name: string, ...rest: unknown[]) => void
  dns.lookup = ((asked: string, ...rest: unknown[]) =>
    ask(asked === name ? '127.0.0.1' : asked, ...rest)) as unknown as typeof dns.lookup
  return () => void (dns.lookup = lookup)
}
