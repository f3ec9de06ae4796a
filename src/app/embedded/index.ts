/**
 * Exports the embedded servers for `start` and the tests. This file is built as a separate bundle, which scripts/test.mjs
 * imports.
 */
export { startPostgres } from './postgres.ts'
export type { EmbeddedServer } from './server.ts'
export { startRedis } from './redis.ts'
export { runCommand, startCommand } from './command.ts'
export { findFreePort, startOnFreePort } from '../../platform/lib/free-port.ts'
export type { Daemon } from './process.ts'
