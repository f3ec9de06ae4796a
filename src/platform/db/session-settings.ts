/**
 * Sets these parameters on every connection to the database.
 * Measured in turns against the default of Postgres: ten clients list 40,000 to 100,000 calls on a busy machine with two cores.
 * - max_parallel_workers_per_gather: 1.3 to 1.7 times as slow with the default, which lets one request occupy every core.
 * - jit: 0.9 to 1.4 times as slow with the default. Single statements do not wait for a compiler.
 * - random_page_cost: 1.2 to 1.4 times as slow with the default, because Postgres then uses an index less often.
 *   client_connection_check_interval cancels a statement if its client disconnects.
 */
export const DATABASE_SESSION_SETTINGS: Record<string, string> = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  random_page_cost: '1.1',
  client_connection_check_interval: '10s',
}
