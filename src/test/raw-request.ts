import net from 'node:net'

/**
 * Sends raw bytes to a server on this machine.
 * @returns everything received until the server closes the connection
 */
export function sendRawRequest(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'))
    let response = ''
    socket.on('data', (data) => (response += data.toString()))
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}
