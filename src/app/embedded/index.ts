/** Private servers for `start` and the tests. Built as a bundle of its own, so that scripts/test.mjs can use it too. */
export { startPostgres } from './postgres.ts'
export type { EmbeddedServer } from './server.ts'
export { startRedis } from './redis.ts'
export { runCommand, startCommand } from './command.ts'
export { findFreePort, startOnFreePort } from '../../platform/lib/free-port.ts'
export type { Daemon } from './process.ts'
