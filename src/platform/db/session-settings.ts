/**
 * The settings of every connection of the API.
 *
 * Measured with ten clients that ask for lists of 40,000 to 100,000 calls, on a busy machine of two cores. Each setting was
 * compared in turns with the default of Postgres:
 * - max_parallel_workers_per_gather: 1.3 to 1.7 times as long without. Statements of one request must not take every core from
 *   the others.
 * - jit: 0.9 to 1.4 times as long with it. No single statement must wait for a compiler.
 * - random_page_cost: 1.2 to 1.4 times as long without, because an index is then taken less often.
 *
 * client_connection_check_interval ends a statement whose client disconnected.
 */
export const SESSION_SETTINGS: Record<string, string> = {
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  random_page_cost: '1.1',
  client_connection_check_interval: '10s',
}
