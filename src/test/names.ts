import dns from 'node:dns'

/**
 * Resolves a name to this machine for connections of this process, independent of /etc/hosts.
 * @returns a function that ends it
 */
export function leadHere(name: string): () => void {
  const { lookup } = dns
  const ask = lookup as (name: string, ...rest: unknown[]) => void
  dns.lookup = ((asked: string, ...rest: unknown[]) =>
    ask(asked === name ? '127.0.0.1' : asked, ...rest)) as unknown as typeof dns.lookup
  return () => void (dns.lookup = lookup)
}
