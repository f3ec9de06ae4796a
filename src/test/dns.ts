import dns from 'node:dns'

/**
 * Resolves a name to 127.0.0.1 for connections of this process, independent of /etc/hosts.
 * @returns a function that restores the lookup
 */
export function resolveNameToLocalhost(name: string): () => void {
  const { lookup } = dns
  const originalLookup = lookup as (name: string, ...rest: unknown[]) => void
  dns.lookup = ((hostName: string, ...rest: unknown[]) =>
    originalLookup(hostName === name ? '127.0.0.1' : hostName, ...rest)) as unknown as typeof dns.lookup
  return () => void (dns.lookup = lookup)
}
