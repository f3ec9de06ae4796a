/**
 * Exports the embedded servers for `start` and the tests. build.mjs also builds this file as a bundle of its own, with which
 * scripts/test.mjs starts servers.
 */
export { startPostgres } from './postgres.ts'
export type { EmbeddedServer } from './server.ts'
export { startRedis } from './redis.ts'
export { runCommand, startCommand } from './command.ts'
export { findFreePort, startOnFreePort } from '../../platform/lib/free-port.ts'
export type { Daemon } from './process.ts'
