import ipaddr from 'ipaddr.js'
import { hmacSha256, sameSecret } from './crypto.ts'

/**
 * Carries the address of a browser from the panel to the API, with the proof that the panel says so. Where both know
 * SESSION_SECRET (`start` gives it to both) people who come through the panel are told apart whatever proxies there
 * are; a panel without it says the address in X-Forwarded-For, like any proxy.
 */
export const PANEL_CLIENT_HEADER = 'X-Panel-Client'

export const panelClient = (secret: string, address: string): string => `${address} ${prove(secret, address)}`

/** No token of a session holds a space, so neither proof stands for the other. */
const prove = (secret: string, address: string): string =>
  hmacSha256(secret, `panel client ${address}`).digest('base64url')

/** The address that the panel tells with its proof; undefined for anything else in this header. */
export function readPanelClient(secret: string, header: string): string | undefined {
  const [address, proof] = header.split(' ')
  return address && proof && sameSecret(proof, prove(secret, address)) ? address : undefined
}

/** One spelling for one address: an IPv4 address inside IPv6 is that IPv4 address. Undefined for what is no address. */
export function normalAddress(text: string | undefined): string | undefined {
  if (!text || !ipaddr.isValid(text)) return undefined
  const address = ipaddr.process(text)
  return address instanceof ipaddr.IPv6 ? ipaddr.fromByteArray(address.toByteArray()).toString() : address.toString()
}

/** What a caller is counted by: an IPv4 address, or the /64 that anybody with IPv6 has to choose addresses from. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
